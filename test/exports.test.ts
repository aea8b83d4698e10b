import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import * as defaults from '../src/entries/defaults.ts'
import * as tamp from '../src/index.ts'

/** Every name is a promise to users: a change here is a line in the changelog. */
const exportedValues = ['CHECKPOINT_END', 'CHECKPOINT_START', 'TampError', 'createTamp']

/** What apps may build on, and the page does without. */
const exportedDefaults = [
  'SUMMARY_HEADINGS',
  'SUMMARY_SYSTEM',
  'defaultRefusalPrefixes',
  'defaultTools',
  'summaryInstruction',
]

const exportedTypes = [
  'CompactionRecord',
  'CompactionReport',
  'Conversation',
  'ConversationEvents',
  'ConversationSnapshot',
  'ConversationSummary',
  'Engine',
  'EngineCapabilities',
  'ErrorDetails',
  'FitOptions',
  'Fitted',
  'Format',
  'ImportReport',
  'Measurement',
  'ModelRequest',
  'Outcome',
  'PassName',
  'PassOptions',
  'Shortened',
  'StepReport',
  'StorageNotice',
  'StorageState',
  'Summarizer',
  'SummarizerAnswer',
  'SummaryCheck',
  'SummaryReport',
  'Tamp',
  'TampErrorCode',
  'TampEvents',
  'TampOptions',
  'ToolEffect',
  'ToolSemantics',
  'ToolTable',
  'TranscriptMessage',
  'Trigger',
  'Turn',
]

/** The names that a file of explicit exports gives out, types included. */
function namesIn(path: string): string[] {
  const { module: outline, errors } = parseSync(path, readFileSync(path, 'utf8'))
  expect(errors).toEqual([])
  const entries = outline.staticExports.flatMap(({ entries }) => entries)
  return entries.map(({ exportName }) => exportName.name ?? `${exportName.kind} export`)
}

test('the package exports these values and no others', () => {
  expect(Object.keys(tamp).sort()).toEqual(exportedValues)
})

test('its defaults are these and no others', () => {
  expect(Object.keys(defaults).sort()).toEqual(exportedDefaults)
})

test('the package exports these types and no others, each by its name', () => {
  expect(namesIn('src/index.ts').sort()).toEqual([...exportedValues, ...exportedTypes].sort())
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../.ci/install.mjs'

const DOCS = join(root, 'docs', 'performance.md')
const START = '<!-- figures -->'
const END = '<!-- end of figures -->'

/** Gives back a number as people read it. */
export function shown(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })
}

/** Writes the figures of a run into the document, between its marks. */
export function writeDocs(figures, targets) {
  const text = readFileSync(DOCS, 'utf8')
  const [before, rest] = text.split(START)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error(`${DOCS} has no place for figures`)
  const tables = [
    '## Targets',
    '',
    table(targets, true),
    '',
    '## All figures',
    '',
    table(figures, false),
  ]
  writeFileSync(DOCS, `${before}${START}\n\n${tables.join('\n')}\n\n${END}${after}`)
}

function table(rows, isJudged) {
  const head = ['figure', 'value', 'unit', ...(isJudged ? ['target', ''] : [])]
  const lines = rows.map(({ name, value, unit, limit, ok }) => [
    name,
    shown(value),
    unit,
    ...(isJudged ? [limit, ok ? 'met' : '**missed**'] : []),
  ])
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

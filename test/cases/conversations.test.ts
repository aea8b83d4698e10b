import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import type { Device } from '../conversation/conformance.ts'
import { checkCase } from '../support/case-checker.ts'
import { type CaseFile, readCases } from '../support/case-files.ts'
import type { CaseExpectation, Observed, Problem } from '../support/case-types.ts'
import { idbDevice } from '../support/idb-device.ts'
import { memoryDevice } from '../support/memory-device.ts'
import { hasShared } from '../support/shared-data.ts'
import { deferralOf } from './deferrals.ts'
import { runInConversation } from './run-in-conversation.ts'
import { tampMarks } from './tamp-marks.ts'

const stores: readonly (readonly [string, () => Device])[] = [
  ['memory', memoryDevice],
  ['IndexedDB', idbDevice],
]

/** Squashing the newest result before it is sent is enough in these, and that is no compaction (SEEDS K1). */
const SQUASHED_ALONE = /^(?:13|26|27|29)-/

/** What is held of every case, whatever it names itself. A request that was refused has no output to judge. */
function withStored(expectation: CaseExpectation): CaseExpectation {
  const isRefused = expectation.outcome.startsWith('error:')
  const stored = isRefused ? ['input-untouched'] : ['input-untouched', 'originals-retained']
  return { ...expectation, invariants: [...new Set([...expectation.invariants, ...stored])] }
}

/** What a store keeps can be judged before the rest of the case can. */
function storedAlone(expectation: CaseExpectation): CaseExpectation {
  const { limitTokens, inputTokens, overheadTokens, format, outcome } = expectation
  const asked = { case: expectation.case, format, outcome }
  const tokens = { limitTokens, inputTokens, overheadTokens }
  const nothing = { mustKeepVerbatim: [], mustNotContain: [], invariants: [] }
  return withStored({ ...asked, ...tokens, ...nothing })
}

function problemsOf({ input, expectation }: CaseFile, observed: Observed): readonly Problem[] {
  const isLater = deferralOf(input.case) !== undefined
  const asked = isLater ? storedAlone(expectation) : withStored(expectation)
  return checkCase(input, asked, observed, { marks: tampMarks })
}

const squashedAlone: Problem = { check: 'outcome', detail: 'the report says unchanged' }

async function onDevice(makeDevice: () => Device, work: (device: Device) => Promise<void>) {
  const device = makeDevice()
  try {
    await work(device)
  } finally {
    await device.end()
  }
}

describe.skipIf(!hasShared('cases'))('compaction cases in conversations', () => {
  describe.each(stores)('in %s', (_store, makeDevice) => {
    for (const file of readCases()) {
      const name = file.input.case
      const what = deferralOf(name) ? 'keeps its originals' : 'holds'
      it(`${name} ${what}, also after a restart`, () =>
        onDevice(makeDevice, async (device) => {
          const observed = await runInConversation(file, device)
          const expected = SQUASHED_ALONE.test(name) ? [squashedAlone] : []
          expect(problemsOf(file, observed)).toEqual(expected)
        }))
    }
  })
})

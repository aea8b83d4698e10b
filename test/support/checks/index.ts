import type { Check } from '../case-types.ts'
import { errorNamesCause, failureReported } from './failure.ts'
import { idempotent, jsonStaysJson, omissionsMarked, wellFormedUnicode } from './honesty.ts'
import {
  firstUserKept,
  imagesKept,
  inputUntouched,
  lastUserKept,
  newestResultKept,
  noDanglingImages,
  noDanglingPointers,
  nothingVanishes,
  originalsRetained,
  summaryPresent,
} from './kept.ts'
import {
  cacheMarksLegal,
  endsWithUser,
  noEmptyContent,
  rolesAlternate,
  singleSystem,
  thinkingIntact,
} from './message-shape.ts'
import { fenceHolds, untrustedNotPromoted } from './safety.ts'
import {
  smallerOrUnchanged,
  summarizerInputBounded,
  unchangedWhenFits,
  withinLimit,
} from './size.ts'
import { toolArgumentsValid, toolPairsLegal } from './tool-pairs.ts'

/** Every invariant of the README of the cases, by its name there. */
export const invariants: Readonly<Record<string, Check>> = {
  'tool-pairs-legal': toolPairsLegal,
  'no-empty-content': noEmptyContent,
  'roles-alternate': rolesAlternate,
  'single-system': singleSystem,
  'ends-with-user': endsWithUser,
  'tool-arguments-valid': toolArgumentsValid,
  'thinking-intact': thinkingIntact,
  'cache-marks-legal': cacheMarksLegal,
  'within-limit': withinLimit,
  'smaller-or-unchanged': smallerOrUnchanged,
  'summarizer-input-bounded': summarizerInputBounded,
  'unchanged-when-fits': unchangedWhenFits,
  'first-user-kept': firstUserKept,
  'last-user-kept': lastUserKept,
  'newest-result-kept': newestResultKept,
  'images-kept': imagesKept,
  'no-dangling-images': noDanglingImages,
  'no-dangling-pointers': noDanglingPointers,
  'summary-present': summaryPresent,
  'nothing-vanishes': nothingVanishes,
  'originals-retained': originalsRetained,
  'input-untouched': inputUntouched,
  'omissions-marked': omissionsMarked,
  'json-stays-json': jsonStaysJson,
  'well-formed-unicode': wellFormedUnicode,
  idempotent,
  'failure-reported': failureReported,
  'error-names-cause': errorNamesCause,
  'fence-holds': fenceHolds,
  'untrusted-not-promoted': untrustedNotPromoted,
}

/** The invariants that ask nothing of the output: a run that ends in an error is judged by them alone. */
export const withoutOutput: ReadonlySet<string> = new Set(['input-untouched', 'error-names-cause'])

import type { Invariant } from '../core/invariant.ts'
import { argumentsAreObjects } from './arguments-are-objects.ts'
import { atMostFourCacheMarks } from './at-most-four-cache-marks.ts'
import { bodyHasALimit } from './body-has-a-limit.ts'
import { callIdsAreUnique } from './call-ids-are-unique.ts'
import { callsAreAnswered } from './calls-are-answered.ts'
import { finalTextHasNoTrailingSpace } from './final-text-has-no-trailing-space.ts'
import { mediaIsInUserMessages } from './media-is-in-user-messages.ts'
import { messagesAreNotEmpty, messagesSaySomething } from './messages-are-not-empty.ts'
import { messagesHaveALimit } from './messages-have-a-limit.ts'
import { oneResultACall } from './one-result-a-call.ts'
import { reasoningHasASignature } from './reasoning-has-a-signature.ts'
import { requestEndsWithTheUser } from './request-ends-with-the-user.ts'
import { requestStartsWithTheUser } from './request-starts-with-the-user.ts'
import { resultsAreNotEmpty } from './results-are-not-empty.ts'
import { resultsComeFirst } from './results-come-first.ts'
import { resultsHaveCalls } from './results-have-calls.ts'
import { rolesAlternate } from './roles-alternate.ts'
import { serverResultsHaveCalls } from './server-results-have-calls.ts'
import { signedReasoningIsWhole } from './signed-reasoning-is-whole.ts'
import { stringsHaveALimit } from './strings-have-a-limit.ts'
import { textsAreNotBlank } from './texts-are-not-blank.ts'
import { textsAreWellFormed } from './texts-are-well-formed.ts'
import { toolLoopKeepsReasoning } from './tool-loop-keeps-reasoning.ts'

/** Every rule, in the order in which repairs run: ids and pairs first, then what those leave empty. */
export const defaultInvariants: readonly Invariant[] = [
  callIdsAreUnique,
  callsAreAnswered,
  oneResultACall,
  resultsHaveCalls,
  resultsComeFirst,
  serverResultsHaveCalls,
  reasoningHasASignature,
  textsAreNotBlank,
  messagesAreNotEmpty,
  messagesSaySomething,
  requestEndsWithTheUser,
  finalTextHasNoTrailingSpace,
  textsAreWellFormed,
  atMostFourCacheMarks,
  signedReasoningIsWhole,
  toolLoopKeepsReasoning,
  rolesAlternate,
  requestStartsWithTheUser,
  argumentsAreObjects,
  resultsAreNotEmpty,
  mediaIsInUserMessages,
  stringsHaveALimit,
  bodyHasALimit,
  messagesHaveALimit,
]

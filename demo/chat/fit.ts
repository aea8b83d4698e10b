import type { Tamp } from 'tamp'
import type { NativeMessage } from './opening.ts'
import { buildRequest, type RequestSettings } from './request.ts'
import { findTailStart, type SentRequest } from './sent.ts'

export interface FitLimit {
  readonly limitTokens: number
  readonly signal: AbortSignal
}

/** Fits a history once, without storing or sending: for formats that the simulator does not speak. */
export async function fitOnce(
  tamp: Pick<Tamp, 'fit'>,
  { settings, history }: { settings: RequestSettings; history: readonly NativeMessage[] },
  { limitTokens, signal }: FitLimit,
): Promise<SentRequest> {
  const full = buildRequest(settings, history)
  const options = { limitTokens, format: settings.about.format, signal }
  const { request: fitted, report } = await tamp.fit(full, options)
  const tail = findTailStart(full.messages, fitted.messages)
  const leading = full.messages.length - history.length
  const tailStart = tail === undefined ? undefined : Math.max(0, tail - leading)
  return { full, fitted, report, historyLength: history.length, tailStart }
}

import type { CompactionReport } from '../../src/core/report.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { isRecord, type Native } from '../support/native.ts'
import type { Transcript } from '../support/transcripts.ts'

/** What became of a transcript at one limit. */
export type Outcome =
  | {
      readonly type: 'fitted'
      readonly request: Transcript['request']
      readonly report: CompactionReport
    }
  | { readonly type: 'cannot-fit'; readonly details: Native }

/** Fits a request on a fresh local engine. Every error but `cannot-fit` is thrown on. */
export async function fitTranscript(
  transcript: Pick<Transcript, 'format' | 'request'>,
  limitTokens: number,
): Promise<Outcome> {
  const tamp = createTamp({ engine: localEngine() })
  try {
    const { format } = transcript
    const { request, report } = await tamp.fit(transcript.request, { limitTokens, format })
    return { type: 'fitted', request, report }
  } catch (error) {
    if (!isRecord(error) || error.code !== 'cannot-fit') throw error
    return { type: 'cannot-fit', details: isRecord(error.details) ? error.details : {} }
  } finally {
    await tamp.close()
  }
}

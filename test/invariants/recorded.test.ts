import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { enforcedRules, violations } from '../../src/core/invariant.ts'
import { finished } from '../../src/core/sliced.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import { hasShared } from '../support/shared-data.ts'
import { readExchanges } from '../support/transcripts.ts'

const files = [
  'api-anthropic-messages.jsonl',
  'api-openai-chat.jsonl',
  'api-openai-compatible-chat.jsonl',
] as const

describe.skipIf(!hasShared('data/transcripts'))('histories that a provider accepted', () => {
  it.each(files)('of %s are not called illegal for it', (file) => {
    const format = file.includes('anthropic') ? 'anthropic-messages' : 'openai-chat'
    const accepted = readExchanges(file).filter(({ status }) => status === 200)
    expect(accepted.length).toBeGreaterThan(5)
    for (const exchange of accepted) {
      const { view } = readRequest(adapterFor(exchange.request, format), exchange.request)
      expect(
        finished(violations(view, enforcedRules(view, defaultInvariants))),
        exchange.case,
      ).toEqual([])
    }
  })
})

import { describe, expect, it } from 'vitest'
import { type Budget, makeBudget, targetFor } from '../../src/core/budget.ts'
import { endsRaised, forcedDue, isBroken, lowersMark, pressureOf } from '../../src/core/pressure.ts'

/** An allowance of 1,000 tokens. */
const budget: Budget = makeBudget({
  ceilingTokens: 1200,
  overheadTokens: 100,
  reserveTokens: 100,
  trigger: 0.85,
  target: 0.5,
  keepRecentTokens: undefined,
})

describe('pressure', () => {
  it.each([
    [849, false, 'none'],
    [850, false, 'soft'],
    [900, true, 'none'],
    [950, true, 'soft'],
    [1000, true, 'soft'],
    [1001, false, 'hard'],
    [1001, true, 'hard'],
  ] as const)('Z6 of 1,000, %i with the mark raised: %s is %s', (tokens, raised, pressure) => {
    expect(pressureOf({ tokens, budget, raised })).toBe(pressure)
  })

  it('Z6 is never due earlier for a raised mark', () => {
    const late = { ...budget, triggerTokens: 1000 }
    expect(pressureOf({ tokens: 960, budget: late, raised: true })).toBe('none')
  })

  it('Z6 raises the mark from the trigger on, and lowers it under the trigger', () => {
    expect([849, 850].map((tokens) => endsRaised(tokens, budget))).toEqual([false, true])
    expect([849, 850].map((tokens) => lowersMark(tokens, budget))).toEqual([true, false])
  })

  it('Z7 runs as hard above the allowance', () => {
    expect([1000, 1001].map((tokens) => forcedDue(tokens, budget))).toEqual(['forced', 'hard'])
  })

  it('Z7 aims at half of a conversation that is under the target already', () => {
    expect(targetFor('forced', budget, 500)).toBe(250)
    expect(targetFor('forced', budget, 501)).toBe(500)
    expect(targetFor('soft', budget, 400)).toBe(500)
  })
})

describe('the circuit breaker', () => {
  const little = { tokensBefore: 1010, tokensAfter: 950 }
  const much = { tokensBefore: 1010, tokensAfter: 500 }

  it('stops after two compactions in a row that free less than the minimum', () => {
    expect(isBroken([], 1020, budget)).toBe(false)
    expect(isBroken([little], 1020, budget)).toBe(false)
    expect(isBroken([much, little], 1020, budget)).toBe(false)
    expect(isBroken([little, much], 1020, budget)).toBe(false)
    expect(isBroken([little, little], 1020, budget)).toBe(true)
    expect(isBroken([much, little, little], 1020, budget)).toBe(true)
  })

  it('goes on once the history has grown by the minimum', () => {
    expect(isBroken([little, little], 1049, budget)).toBe(true)
    expect(isBroken([little, little], 1050, budget)).toBe(false)
  })
})

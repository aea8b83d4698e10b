import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { carriesLeaves, crossingBytes, leavesOf } from '../../src/core/leaves.ts'
import { plainCopy } from '../../src/core/plain.ts'
import { samePlain } from '../../src/core/same-plain.ts'
import { lawParameters, lawTimeoutMs } from '../support/generate.ts'

const carriesSame = (value: unknown, copy: unknown) => carriesLeaves(value, leavesOf(copy))

/** Keys that are data in one place and something else in another. */
const keys = fc.constantFrom('role', 'content', 'b', '1', '0', '__proto__', 'constructor', '')

const leaves = fc.oneof(
  fc.constantFrom(null, true, false, 0, 7, 'text', '', undefined, Symbol('s'), () => 1),
  fc.date({ noInvalidDate: true }),
  fc.string(),
)

/** What an app or a framework may hand in where JSON is expected. */
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaves,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }).map(withHole),
    fields(tie('value')).map(asOwn),
    fields(tie('value')).map((entries) => new Proxy(asOwn(entries), {})),
    fields(tie('value')).map(withGetters),
    fields(tie('value')).map(withInherited),
    fc.json().map((form) => ({ toJSON: () => withoutSign(JSON.parse(form)), lost: 1 })),
  ),
}))

/** JSON has one zero. */
function withoutSign(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

type Entries = readonly (readonly [string, unknown])[]

function fields(value: fc.Arbitrary<unknown>): fc.Arbitrary<Entries> {
  return fc.uniqueArray(fc.tuple(keys, value), { maxLength: 4, selector: ([key]) => key })
}

function withHole(items: unknown[]): unknown[] {
  const holed = [...items]
  holed.length += 1
  return holed
}

/** Own keys, `__proto__` included. */
function asOwn(entries: Entries): object {
  return Object.fromEntries(entries)
}

function withGetters(entries: Entries): object {
  const object = { [Symbol('hidden')]: 1 }
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { get: () => value, enumerable: true })
  }
  Object.defineProperty(object, 'unseen', { value: 1, enumerable: false })
  return object
}

/** What stands on a prototype is no field of the object, though `for in` sees it. */
function withInherited(entries: Entries): object {
  const object = Object.create({ inherited: 'text', content: 'from above' })
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true })
  }
  return object
}

/** JSON as a text to compare by; a value that JSON leaves out has none. */
function json(value: unknown): string {
  return JSON.stringify(value) ?? 'left out'
}

describe('plain copies', () => {
  it(
    'carry what JSON would carry, in its order',
    () => {
      fc.assert(
        fc.property(values, (value) => {
          expect(json(plainCopy(value, 'x'))).toBe(json(value))
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )

  it(
    'are data that crosses to a worker as it is, and that nothing of the original is part of',
    () => {
      fc.assert(
        fc.property(values, (value) => {
          const copy = plainCopy(value, 'x')
          expect(structuredClone(copy)).toEqual(copy)
          expect(json(plainCopy(copy, 'x'))).toBe(json(copy))
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )

  it('name the place of a fault behind forms, holes and lists', () => {
    const inside = { list: [1, { toJSON: () => ({ deep: [0, 1n] }) }] }
    expect(() => plainCopy(inside, 'messages[3]')).toThrow(
      'messages[3].list[1].deep[1] is a bigint, which JSON has no form for',
    )
    expect(() => plainCopy(1n, 'x')).toThrow('x is a bigint')
  })

  it('take the same object twice, where it does not contain itself', () => {
    const shared = { a: 1 }
    expect(plainCopy([shared, { shared }, shared], 'x')).toEqual([shared, { shared }, shared])
  })
})

describe('a value and its copy', () => {
  it(
    'carry the same',
    () => {
      fc.assert(
        fc.property(values, (value) => {
          fc.pre(json(value) !== 'left out')
          expect(carriesSame(value, plainCopy(value, 'x'))).toBe(true)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )

  it(
    'differ as soon as their JSON does',
    () => {
      fc.assert(
        fc.property(values, values, (value, other) => {
          fc.pre(json(value) !== 'left out')
          const isSame = json(value) === json(other)
          expect(carriesSame(value, plainCopy(other, 'x'))).toBe(isSame)
          expect(samePlain(plainCopy(value, 'x'), plainCopy(other, 'x'))).toBe(isSame)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )

  it('differ where one leaf, one key or the order of keys was changed in place', () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'a' }], n: 1 }
    const copy = plainCopy(message, 'x')
    const changes: readonly ((live: typeof message) => void)[] = [
      (live) => {
        live.content[0] = { type: 'text', text: 'b' }
      },
      (live) => void live.content.push({ type: 'text', text: 'b' }),
      (live) => Object.assign(live, { more: null }),
      (live) => void Reflect.deleteProperty(live, 'n'),
      (live) => {
        Reflect.deleteProperty(live, 'role')
        live.role = 'user'
      },
      (live) => Object.assign(live, { n: '1' }),
    ]
    for (const change of changes) {
      const live = structuredClone(message)
      expect(carriesSame(live, copy)).toBe(true)
      change(live)
      expect(carriesSame(live, copy)).toBe(false)
    }
  })

  it('differ where binary data took the place of a list or an object', () => {
    expect(carriesSame(new Uint8Array([1]), plainCopy({ 0: 1 }, 'x'))).toBe(false)
    expect(carriesSame(new Uint8Array([1]), plainCopy([1], 'x'))).toBe(false)
  })
})

describe('what crosses', () => {
  it(
    'is never counted smaller than its texts, with two bytes for each character',
    () => {
      fc.assert(
        fc.property(values, (value) => {
          const copy = plainCopy(value, 'x')
          let characters = 0
          JSON.stringify(copy, (name, field: unknown) => {
            characters += typeof field === 'string' ? field.length : 0
            // Indexes of lists do not cross.
            characters += /^\d*$/.test(name) ? 0 : name.length
            return field
          })
          expect(crossingBytes(copy)).toBeGreaterThanOrEqual(2 * characters)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
})

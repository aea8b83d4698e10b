import { describe, expect, it } from 'vitest'
import type { Conversation, Summarizer, Tamp, TampOptions } from '../../src/index.ts'
import { anthropic, openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'
import { bytesOf, chatOf, longText, requestOf } from './chats.ts'

/** A place where tabs come and go over one store. */
export interface Device {
  /** Opens a tab on the same store. */
  readonly openTab: (options?: TampOptions) => Tamp
  /** Closes all tabs and ends the store. */
  readonly end: () => Promise<void>
}

/** A window in which about 35 messages of `chatOf` fit. */
const SMALL = { window: 2000, reserveTokens: 0 } as const

/** What a conversation promises, run over each store and engine. */
export function conversationConformance(name: string, makeDevice: () => Device): void {
  const onDevice = async (work: (device: Device) => Promise<void>): Promise<void> => {
    const device = makeDevice()
    try {
      await work(device)
    } finally {
      await device.end()
    }
  }
  const inTab = (
    work: (conversation: Conversation, tamp: Tamp, device: Device) => Promise<void>,
    options: TampOptions = SMALL,
  ) =>
    onDevice(async (device) => {
      const tamp = device.openTab(options)
      await work(tamp.conversation('gates'), tamp, device)
    })

  describe(name, () => {
    describe('prepare', () => {
      it('gives back the very same object where nothing is to be done', () =>
        inTab(async (conversation) => {
          const request = requestOf(chatOf(3))
          const turn = await conversation.prepare(request)
          expect(turn.request).toBe(request)
          expect(turn.report).toMatchObject({ outcome: 'unchanged', reason: undefined })
        }))

      it('gives the same bytes for the same input, also after a reload', () =>
        inTab(async (conversation, tamp, device) => {
          const first = await conversation.prepare(requestOf(chatOf(20)))
          expect(first.report.outcome).toBe('compacted')
          const again = await conversation.prepare(requestOf(structuredClone([...chatOf(20)])))
          await tamp.close()
          const reloaded = device.openTab(SMALL).conversation('gates')
          const later = await reloaded.prepare(requestOf(chatOf(20)))
          expect(bytesOf(again.request)).toBe(bytesOf(first.request))
          expect(bytesOf(later.request)).toBe(bytesOf(first.request))
        }))

      it('only grows at its end between two compactions', () =>
        inTab(async (conversation) => {
          let before = ''
          const outcomes: string[] = []
          for (let turns = 16; turns < 32; turns++) {
            const { request, report } = await conversation.prepare(requestOf(chatOf(turns)))
            const bytes = bytesOf(request)
            if (report.outcome === 'unchanged') {
              expect(bytes.startsWith(before.slice(0, -1))).toBe(true)
            }
            expect(report.tokensAfter).toBeLessThanOrEqual(2000)
            outcomes.push(report.outcome)
            before = bytes
          }
          expect(outcomes.filter((outcome) => outcome === 'compacted')).toHaveLength(2)
        }))

      it('keeps the transcript whole, whatever the model is sent (K5)', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(20)))
          const { request } = await conversation.prepare(requestOf(chatOf(30)))
          expect(request.messages.length).toBeLessThan(45)
          const transcript = await conversation.transcript()
          expect(transcript.map(({ message }) => message)).toEqual(chatOf(30).slice(1))
        }))

      it('leaves what it was given untouched', () =>
        inTab(async (conversation) => {
          const request = requestOf(chatOf(20))
          const before = structuredClone(request)
          await conversation.prepare(request)
          expect(request).toEqual(before)
        }))

      it('refuses what cannot fit by name, and stores it all the same', () =>
        inTab(async (conversation) => {
          // No single paste: the last rung has nothing to shorten.
          const paragraphs = Array.from({ length: 60 }, (_, n) => longText(`Gate ${n}`))
          const huge = requestOf([openai.user(paragraphs.join('\n\n'))])
          await expect(conversation.prepare(huge)).rejects.toMatchObject({
            code: 'cannot-fit',
            details: { cause: 'newest' },
          })
          expect(await conversation.transcript()).toHaveLength(1)
        }))
    })

    describe('habits of apps', () => {
      it('sees a message that was changed in place', () =>
        inTab(async (conversation) => {
          const messages = structuredClone([...chatOf(2)])
          await conversation.prepare(requestOf(messages))
          ;(messages.at(-1) as { content: string }).content = 'Something else altogether?'
          const { request } = await conversation.prepare(requestOf(messages))
          expect(bytesOf(request)).toContain('Something else altogether?')
          const transcript = await conversation.transcript()
          expect(transcript.at(-1)).toMatchObject({
            message: { content: 'Something else altogether?' },
          })
          expect(transcript.at(-1)?.branches).toHaveLength(2)
        }))

      it('reads through the proxies of frameworks', () =>
        inTab(async (conversation) => {
          const proxied = (value: object): object =>
            new Proxy(value, {
              get: (target, name) => {
                const held = Reflect.get(target, name)
                return typeof held === 'object' && held !== null ? proxied(held) : held
              },
            })
          const messages = chatOf(4).map((message) => proxied(message) as Native)
          await conversation.prepare(requestOf(messages))
          await conversation.prepare(requestOf(messages))
          expect(await conversation.transcript()).toHaveLength(9)
        }))

      it('takes a moved cache mark for the same message', () =>
        inTab(async (conversation) => {
          const mark = { cache_control: { type: 'ephemeral' } }
          const turn = (marked: boolean, text: string) =>
            anthropic.user({ type: 'text', text, ...(marked ? mark : {}) })
          const head = { model: 'claude-x', max_tokens: 100, system: 'Be brief.' }
          const answer = anthropic.assistant('Yes.')
          await conversation.prepare({ ...head, messages: [turn(true, 'One?')] })
          const messages = [turn(false, 'One?'), answer, turn(true, 'Two?')]
          const request = { ...head, messages }
          const { request: sent } = await conversation.prepare(request)
          expect(sent).toBe(request)
          expect(await conversation.transcript()).toHaveLength(3)
          expect((await conversation.transcript()).every((m) => m.branches.length === 1)).toBe(true)
        }))

      it('follows an edit, a regeneration and the way back', () =>
        inTab(async (conversation) => {
          const messages = [...chatOf(3)]
          const first = await conversation.prepare(requestOf(messages))
          const edited = [...messages.slice(0, -1), openai.user('Question 2: never mind?')]
          await conversation.prepare(requestOf(edited))
          const regenerated = [
            ...messages.slice(0, 4),
            openai.assistant('Another answer.'),
            openai.user('And now?'),
          ]
          await conversation.prepare(requestOf(regenerated))
          expect((await conversation.transcript()).map((m) => m.message)).toEqual(
            regenerated.slice(1),
          )
          const back = await conversation.prepare(requestOf(messages))
          expect(bytesOf(back.request)).toBe(bytesOf(first.request))
          expect((await conversation.transcript()).map((m) => m.message)).toEqual(messages.slice(1))
        }))

      it('gives the path of a branch by its message', () =>
        inTab(async (conversation) => {
          const messages = chatOf(2)
          await conversation.prepare(requestOf(messages))
          await conversation.prepare(requestOf([...messages.slice(0, -1), openai.user('Other?')]))
          const [first = -1, second = -1] = (await conversation.transcript()).at(-1)?.branches ?? []
          const old = await conversation.transcript({ through: first })
          expect(old.at(-1)?.message).toEqual(messages.at(-1))
          const other = await conversation.transcript({ through: second })
          expect(other.at(-1)?.message).toEqual(openai.user('Other?'))
        }))

      it('takes a history that shrinks, and one that is empty', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(5)))
          const { request } = await conversation.prepare(requestOf(chatOf(1)))
          expect(request.messages).toEqual(chatOf(1))
          expect(await conversation.transcript()).toHaveLength(3)
          await conversation.prepare(requestOf([]))
          expect(await conversation.transcript()).toEqual([])
          await conversation.prepare(requestOf(chatOf(5)))
          expect(await conversation.transcript()).toHaveLength(11)
        }))

      it('keeps a message that is repeated as often as it was said', () =>
        inTab(async (conversation) => {
          const again = [openai.user('Go on.'), openai.assistant('Done.')]
          await conversation.prepare(requestOf([...again, ...again, openai.user('Go on.')]))
          expect(await conversation.transcript()).toHaveLength(5)
        }))

      it('finds the originals behind its own output that an app sends back', () =>
        inTab(async (conversation) => {
          const { request } = await conversation.prepare(requestOf(chatOf(20)))
          const more = [openai.assistant('Gate 21 is open.'), openai.user('And gate 22?')]
          const echoed = requestOf([...request.messages, ...more])
          const turn = await conversation.prepare(echoed)
          expect(turn.request).toBe(echoed)
          const transcript = await conversation.transcript()
          expect(transcript.map(({ message }) => message)).toEqual([
            ...chatOf(20).slice(1),
            ...more,
          ])
        }))

      it('compacts its own output that an app sends back again and again', () =>
        inTab(async (conversation) => {
          const all = [...chatOf(15)]
          let history: Native[] = [...all]
          for (let turn = 15; turn < 45; turn++) {
            const { request, report } = await conversation.prepare(requestOf(history))
            expect(report.tokensAfter).toBeLessThanOrEqual(2000)
            const more = [openai.assistant(longText(`Echo ${turn}`)), openai.user(`And ${turn}?`)]
            all.push(...more)
            history = [...(request.messages as Native[]), ...more]
          }
          await conversation.prepare(requestOf(history))
          const transcript = await conversation.transcript()
          expect(transcript.map(({ message }) => message)).toEqual(all.slice(1))
          expect((await conversation.compactions()).length).toBeGreaterThan(1)
        }))

      it('takes a history of another format for another branch', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(2)))
          const messages = [anthropic.user('Which gate?')]
          await conversation.prepare({ model: 'claude-x', max_tokens: 9, system: 'x', messages })
          expect((await conversation.transcript()).map(({ message }) => message)).toEqual(messages)
          await conversation.prepare(requestOf(chatOf(2)))
          expect(await conversation.transcript()).toHaveLength(5)
        }))

      it('names the message that no provider could read, and stores nothing of it', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(1)))
          const broken = requestOf([...chatOf(1), { role: 'nobody', content: 'x' }])
          await expect(conversation.prepare(broken)).rejects.toMatchObject({
            code: 'invalid-conversation',
            details: { path: 'messages[4].role' },
          })
          expect(await conversation.transcript()).toHaveLength(3)
          await conversation.prepare(requestOf(chatOf(2)))
          expect(await conversation.transcript()).toHaveLength(5)
        }))
    })

    describe('the reply', () => {
      const reply = openai.assistant('All gates are closed.')

      it('is stored once, whether the app sends it back or not', () =>
        inTab(async (conversation) => {
          const turn = await conversation.prepare(requestOf(chatOf(1)))
          await turn.settle({ message: { ...reply, refusal: null }, usage: { prompt_tokens: 40 } })
          expect((await conversation.transcript()).at(-1)?.message).toMatchObject(reply)
          await conversation.prepare(requestOf([...chatOf(1), reply, openai.user('Thanks?')]))
          expect(await conversation.transcript()).toHaveLength(5)
        }))

      it('settles once: the same again does nothing, another one is refused by code', () =>
        inTab(async (conversation) => {
          const turn = await conversation.prepare(requestOf(chatOf(1)))
          await turn.settle({ message: reply })
          await turn.settle({ message: reply })
          const other = openai.assistant('Something else.')
          await expect(turn.settle({ message: other })).rejects.toMatchObject({
            code: 'invalid-conversation',
          })
          expect(await conversation.transcript()).toHaveLength(4)
        }))

      it('that never came to its end is found after a reload, marked as interrupted', () =>
        inTab(async (conversation, tamp, device) => {
          const turn = await conversation.prepare(requestOf(chatOf(1)))
          turn.draft(openai.assistant('All gates'))
          await conversation.compactions() // whatever is asked next is answered behind the draft
          expect((await conversation.transcript()).at(-1)?.interrupted).toBe(false)
          await tamp.close()
          const reloaded = device.openTab(SMALL).conversation('gates')
          const cut = (await reloaded.transcript()).at(-1)
          expect(cut).toMatchObject({
            interrupted: true,
            seq: undefined,
            message: { content: 'All gates' },
          })
          const next = await reloaded.prepare(requestOf([...chatOf(1), openai.user('Go on?')]))
          expect(next.report.outcome).toBe('unchanged')
          expect((await reloaded.transcript()).some((m) => m.interrupted)).toBe(false)
        }))

      it('takes the place of its draft in one change', () =>
        inTab(async (conversation, tamp, device) => {
          const turn = await conversation.prepare(requestOf(chatOf(1)))
          turn.draft(openai.assistant('All'))
          await turn.settle({ message: reply })
          turn.draft(openai.assistant('too late'))
          await tamp.close()
          const transcript = await device.openTab(SMALL).conversation('gates').transcript()
          expect(transcript.map((m) => m.interrupted)).toEqual([false, false, false, false])
          expect(transcript.at(-1)?.message).toEqual(reply)
        }))
    })

    describe('undo and redo', () => {
      it('restore the bytes of the next request, also after a reload', () =>
        inTab(async (conversation, tamp, device) => {
          const request = requestOf(chatOf(20))
          const compacted = await conversation.prepare(request)
          expect(compacted.report.outcome).toBe('compacted')
          expect(await conversation.undo()).toMatchObject({ epoch: 1, active: false, undone: true })
          await tamp.close()
          const reloaded = device.openTab(SMALL).conversation('gates')
          const plain = await reloaded.prepare(request)
          expect(plain.request).toBe(request)
          expect(plain.report.reason).toBe('a compaction was undone')
          expect(await reloaded.redo()).toMatchObject({ epoch: 1, active: true, undone: false })
          const again = await reloaded.prepare(request)
          expect(bytesOf(again.request)).toBe(bytesOf(compacted.request))
          expect(await reloaded.redo()).toBeUndefined()
        }))

      it('bring back the compaction before', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(20)))
          const before = await conversation.prepare(requestOf(chatOf(27)))
          expect(before.report.outcome).toBe('unchanged')
          const second = await conversation.compact()
          expect(second).toMatchObject({ outcome: 'compacted', trigger: 'manual' })
          await conversation.undo()
          const after = await conversation.prepare(requestOf(chatOf(27)))
          expect(bytesOf(after.request)).toBe(bytesOf(before.request))
          expect((await conversation.compactions()).map((c) => c.active)).toEqual([true, false])
        }))

      it('are not undone by the next request, until it must be', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(20)))
          await conversation.undo()
          const soft = await conversation.prepare(requestOf(chatOf(21)))
          expect(soft.report).toMatchObject({
            outcome: 'nothing-to-do',
            reason: 'a compaction was undone',
          })
          const hard = await conversation.prepare(requestOf(chatOf(24)))
          expect(hard.report.outcome).toBe('compacted')
        }))

      it('have nothing to do where nothing was compacted', () =>
        inTab(async (conversation) => {
          expect(await conversation.undo()).toBeUndefined()
          expect(await conversation.redo()).toBeUndefined()
        }))
    })

    describe('compact', () => {
      it('does nothing where nothing is stored, or one step alone (Z7)', () =>
        inTab(async (conversation) => {
          expect(await conversation.compact()).toMatchObject({ outcome: 'nothing-to-do' })
          await conversation.prepare(requestOf(chatOf(0)))
          expect(await conversation.compact()).toMatchObject({ outcome: 'nothing-to-do' })
        }))

      it('is refused by name where no summarizer is there and none may take over', () =>
        inTab(
          async (conversation) => {
            await conversation.prepare(requestOf(chatOf(5)))
            await expect(conversation.compact()).rejects.toMatchObject({
              code: 'summarizer-unavailable',
            })
          },
          { ...SMALL, fallback: 'none' },
        ))

      it('keeps what the focus names, also where no model writes the summary', () =>
        inTab(async (conversation) => {
          const things =
            'crank,ladder,barrel,lantern,anvil,kettle,saddle,bellows,pulley,chisel,mallet,hinge'
          const places = things
            .split(',')
            .flatMap((thing, n) => [
              openai.assistant(
                `The ${thing} stands behind wall ${n * 37}, in a row of ${n + 90} others, each with its own label and lock, and was last seen to in the spring by the people of house ${n * 11}.`,
              ),
              openai.user(`And what is at place ${n + 1}, please?`),
            ])
          await conversation.prepare(requestOf([openai.user('What is where?'), ...places]))
          const plain = await conversation.compact()
          // The newest ones are not folded.
          const folded = things.split(',').slice(0, 5)
          const missing = folded.find((thing) => !plain.summary?.text.includes(thing))
          expect(missing).toBeDefined()
          await conversation.undo()
          const focused = await conversation.compact({ focus: `where the ${missing} stands` })
          expect(focused.summary?.text).toContain(missing)
        }))

      it('hands the focus to the summarizer', () => {
        const prompts: string[] = []
        const summarizer: Summarizer = async ({ prompt }) => {
          prompts.push(prompt)
          return 'The deploy key is K-4217; gates 0 to 10 were looked at and nothing was found.'
        }
        return inTab(
          async (conversation) => {
            await conversation.prepare(requestOf(chatOf(12)))
            const report = await conversation.compact({ focus: 'the deploy key' })
            expect(report.outcome).toBe('compacted')
            expect(prompts.join('\n')).toContain('the deploy key')
          },
          { ...SMALL, summarizer },
        )
      })
    })

    describe('while a summary is being made', () => {
      const held = () => {
        let answer: (text: string) => void = () => {}
        let asked: () => void = () => {}
        const whenAsked = new Promise<void>((resolve) => {
          asked = resolve
        })
        const text = new Promise<string>((resolve) => {
          answer = resolve
        })
        const calls: number[] = []
        const summarizer: Summarizer = async (_, { signal }) => {
          calls.push(1)
          asked()
          return new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
            void text.then(resolve)
          })
        }
        return { summarizer, whenAsked, answer: (said: string) => answer(said), calls }
      }
      const SUMMARY =
        'The deploy key is K-4217; the gates so far were looked at, nothing was found.'

      it('what arrives is stored at once, and reads are answered', () => {
        const model = held()
        return inTab(
          async (conversation) => {
            const first = conversation.prepare(requestOf(chatOf(20)))
            await model.whenAsked
            const second = conversation.prepare(requestOf(chatOf(21)))
            const measured = await conversation.measure(requestOf(chatOf(20)))
            expect(measured.totalTokens).toBeGreaterThan(1700)
            let count = 0
            while (count < 43) count = (await conversation.transcript()).length
            expect(conversation.getSnapshot().compacting).toBe(true)
            model.answer(SUMMARY)
            expect((await first).report.outcome).toBe('compacted')
            expect((await second).report.outcome).toBe('unchanged')
            expect(bytesOf((await second).request)).toContain('K-4217; the gates so far')
            expect(model.calls).toHaveLength(1)
            expect(conversation.getSnapshot().compacting).toBe(false)
          },
          { ...SMALL, summarizer: model.summarizer },
        )
      })

      it('an abort leaves everything as it was, and the next one gets its turn', () => {
        const model = held()
        return inTab(
          async (conversation) => {
            const abort = new AbortController()
            const request = requestOf(chatOf(20))
            const first = conversation.prepare(request, { signal: abort.signal })
            await model.whenAsked
            abort.abort(new Error('the user left'))
            await expect(first).rejects.toThrow('the user left')
            expect(await conversation.compactions()).toEqual([])
            model.answer(SUMMARY)
            const next = await conversation.prepare(request)
            expect(next.report.outcome).toBe('compacted')
          },
          { ...SMALL, summarizer: model.summarizer },
        )
      })

      it('an error of the app itself comes out as itself, and a failure of the provider changes nothing (K4)', () => {
        class OwnError extends Error {}
        const errors: Error[] = [
          new OwnError('a bug of the app'),
          Object.assign(new Error('busy'), { status: 429 }),
        ]
        const summarizer: Summarizer = async () => {
          throw errors.shift() ?? new Error('asked too often')
        }
        return inTab(
          async (conversation) => {
            const request = requestOf(chatOf(20))
            await expect(conversation.prepare(request)).rejects.toBeInstanceOf(OwnError)
            const failed = await conversation.prepare(request)
            expect(failed.report).toMatchObject({ outcome: 'failed' })
            expect(failed.request).toBe(request)
            expect(await conversation.compactions()).toEqual([])
          },
          { ...SMALL, summarizer },
        )
      })
    })

    describe('new tool results', () => {
      const log = Array.from({ length: 200 }, (_, n) => `line ${n}: all is well at gate ${n}`)
      const history = [
        openai.user('Read the log.'),
        openai.calls(['c1', 'run_command', { command: 'cat log' }]),
        openai.result('c1', log.join('\n')),
      ]

      it('are squashed before they are ever sent, the original is kept (DESIGN 5.2)', () =>
        inTab(
          async (conversation, tamp, device) => {
            const first = await conversation.prepare(requestOf(history))
            expect(first.report.outcome).toBe('unchanged')
            expect(bytesOf(first.request)).toContain('omitted]')
            expect(first.request.messages[0]).toBe(history[0])
            expect((await conversation.transcript()).at(-1)?.message).toEqual(history.at(-1))
            await tamp.close()
            const reloaded = device.openTab({ window: 8000 }).conversation('gates')
            const again = await reloaded.prepare(requestOf(history))
            expect(bytesOf(again.request)).toBe(bytesOf(first.request))
          },
          { window: 8000 },
        ))

      it('stay whole where they take little of the room, unless the app is eager', () =>
        onDevice(async (device) => {
          const tamp = device.openTab({ window: 128_000 })
          const request = requestOf(history)
          expect((await tamp.conversation('a').prepare(request)).request).toBe(request)
          await tamp.close()
          const eager = device.openTab({ window: 128_000, tidy: 'eager' })
          const squashed = await eager.conversation('b').prepare(request)
          expect(bytesOf(squashed.request)).toContain('omitted]')
        }))

      it('that were sent already stay as they were sent', () =>
        inTab(
          async (conversation) => {
            const answered = [...history, openai.assistant('All is well.'), openai.user('Sure?')]
            const request = requestOf(answered)
            expect((await conversation.prepare(request)).request).toBe(request)
          },
          { window: 8000 },
        ))
    })

    describe('what is kept', () => {
      it('is listed, the newest first, with the first words of a person', () =>
        inTab(async (conversation, tamp) => {
          await conversation.prepare(requestOf(chatOf(1)))
          await tamp.conversation('other').prepare(requestOf([openai.user('Another matter')]))
          const list = await tamp.conversations()
          expect(list.map(({ id }) => id).sort()).toEqual(['gates', 'other'])
          expect(list.find(({ id }) => id === 'gates')?.preview).toMatch(
            /^Remember that the deploy/u,
          )
        }))

      it('comes back from a file as it was', () =>
        inTab(async (conversation, tamp) => {
          await conversation.prepare(requestOf(chatOf(20)))
          await conversation.prepare(requestOf([...chatOf(18), openai.user('Other?')]))
          const { request } = await conversation.prepare(requestOf(chatOf(22)))
          const transcript = await conversation.transcript()
          const compactions = await conversation.compactions()
          const file = await conversation.export()
          await conversation.delete()
          const back = tamp.conversation('gates')
          const report = await back.import(new Blob([file]))
          expect(report).toMatchObject({ addedCompactions: compactions.length, knownMessages: 0 })
          expect(await back.transcript()).toEqual(transcript)
          expect(await back.compactions()).toEqual(compactions)
          const again = await back.prepare(requestOf(chatOf(22)))
          expect(bytesOf(again.request)).toBe(bytesOf(request))
          expect(await back.import(file)).toMatchObject({ addedMessages: 0, addedCompactions: 0 })
        }))

      it('is joined with what a file holds, none of it twice', () =>
        inTab(async (conversation, tamp) => {
          await conversation.prepare(requestOf(chatOf(20)))
          const file = await conversation.export()
          const other = tamp.conversation('other')
          await other.prepare(requestOf(chatOf(2)))
          await other.prepare(requestOf([...chatOf(2), openai.user('Only here?')]))
          const report = await other.import(file)
          expect(report).toMatchObject({ knownMessages: 5, addedMessages: 36, addedCompactions: 1 })
          expect((await other.transcript()).at(-1)?.message).toEqual(openai.user('Only here?'))
          const { request } = await conversation.prepare(requestOf(chatOf(20)))
          const same = await other.prepare(requestOf(chatOf(20)))
          expect(bytesOf(same.request)).toBe(bytesOf(request))
        }))

      it('is not touched by a file that is damaged or of a later version', () =>
        inTab(async (conversation) => {
          await conversation.prepare(requestOf(chatOf(20)))
          const file = await conversation.export()
          const before = await conversation.transcript()
          const changed = (change: (value: Damaged) => unknown): string => {
            const value = JSON.parse(file) as Damaged
            change(value)
            return JSON.stringify(value)
          }
          const set = (name: string, value: unknown) => (held: Damaged) => {
            Object.assign(held, { [name]: value })
          }
          const bad: readonly (readonly [string, string])[] = [
            [file.slice(0, -20), 'invalid-conversation'],
            ['null', 'invalid-conversation'],
            ['{"messages":[]}', 'invalid-conversation'],
            [changed(set('tamp', 2)), 'newer-version'],
            [changed(set('checksum', '0')), 'invalid-conversation'],
            [changed(set('tip', 4000)), 'invalid-conversation'],
            [changed(({ entries }) => entries.splice(3, 1)), 'invalid-conversation'],
            [changed(({ entries }) => entries.splice(2, 1, {})), 'invalid-conversation'],
            [changed(({ entries }) => entries.reverse()), 'invalid-conversation'],
            [changed(spoilEdits), 'invalid-conversation'],
          ]
          for (const [text, code] of bad) {
            await expect(conversation.import(text), text.slice(0, 60)).rejects.toMatchObject({
              code,
            })
          }
          expect(await conversation.transcript()).toEqual(before)
          expect(await conversation.export()).toBe(file)
        }))

      it('is really deleted, and the name is free again', () =>
        inTab(async (conversation, tamp) => {
          await conversation.prepare(requestOf(chatOf(3)))
          await conversation.delete()
          await expect(conversation.transcript()).rejects.toMatchObject({ code: 'deleted' })
          await expect(conversation.prepare(requestOf(chatOf(3)))).rejects.toMatchObject({
            code: 'deleted',
          })
          expect(await tamp.conversations()).toEqual([])
          const fresh = tamp.conversation('gates')
          expect(fresh).not.toBe(conversation)
          expect(await fresh.transcript()).toEqual([])
          await fresh.prepare(requestOf(chatOf(1)))
          expect(await fresh.transcript()).toHaveLength(3)
        }))

      it('forgets a message and every compaction that covered it', () =>
        inTab(async (conversation, tamp, device) => {
          const secret = openai.user('My password is hunter2, look at gate 3.')
          const messages = [...chatOf(1), openai.assistant('Yes.'), secret, ...chatOf(20).slice(2)]
          await conversation.prepare(requestOf(messages))
          expect(await conversation.export()).toContain('hunter2')
          expect(await conversation.forget(secret)).toBe(true)
          expect(await conversation.forget('no such id')).toBe(false)
          expect(await conversation.export()).not.toContain('hunter2')
          expect(await conversation.compactions()).toEqual([])
          expect(await conversation.transcript()).toHaveLength(messages.length - 2)
          await tamp.close()
          const reloaded = device.openTab(SMALL).conversation('gates')
          const without = messages.filter((message) => message !== secret)
          const { request } = await reloaded.prepare(requestOf(without))
          expect(bytesOf(request)).not.toContain('hunter2')
        }))
    })

    describe('what is told', () => {
      it('has a snapshot that changes only where something changed', () =>
        inTab(async (conversation) => {
          await conversation.transcript()
          const before = conversation.getSnapshot()
          let called = 0
          const stop = conversation.subscribe(() => {
            called++
          })
          await conversation.transcript()
          expect(conversation.getSnapshot()).toBe(before)
          expect(called).toBe(0)
          await conversation.prepare(requestOf(chatOf(2)))
          expect(called).toBe(1)
          expect(conversation.getSnapshot()).toMatchObject({ messages: 5, compactions: 0 })
          stop()
          await conversation.prepare(requestOf(chatOf(3)))
          expect(called).toBe(1)
        }))

      it('names start and end of a compaction', () => {
        const summarizer: Summarizer = async () =>
          'The deploy key is K-4217; the gates so far were looked at, nothing was found.'
        return inTab(
          async (conversation) => {
            const heard: string[] = []
            conversation.on('compaction:start', () => heard.push('start'))
            conversation.on('compaction:end', ({ trigger }) => heard.push(`end ${trigger}`))
            await conversation.prepare(requestOf(chatOf(20)))
            await conversation.compact()
            expect(heard).toEqual(['start', 'end threshold', 'start', 'end manual'])
          },
          { ...SMALL, summarizer },
        )
      })
    })

    describe('two tabs', () => {
      it('keep every message once, in one order', () =>
        onDevice(async (device) => {
          const tabs = [device.openTab(SMALL), device.openTab(SMALL)]
          const [one, two] = tabs.map((tab) => tab.conversation('gates'))
          if (!one || !two) throw new Error('no tabs')
          await Promise.all([one.prepare(requestOf(chatOf(3))), two.prepare(requestOf(chatOf(3)))])
          await one.prepare(requestOf([...chatOf(3), openai.user('From the first?')]))
          await two.prepare(requestOf([...chatOf(3), openai.user('From the second?')]))
          const branches = (await two.transcript()).at(-1)?.branches ?? []
          expect(branches).toHaveLength(2)
          const seen = await Promise.all(
            branches.map((through) => one.transcript({ through }).then((all) => all.length)),
          )
          expect(seen).toEqual([8, 8])
        }))

      it('see a deletion as such, and do not bring the conversation back', () =>
        onDevice(async (device) => {
          const one = device.openTab(SMALL).conversation('gates')
          const other = device.openTab(SMALL)
          const two = other.conversation('gates')
          await one.prepare(requestOf(chatOf(3)))
          await two.prepare(requestOf(chatOf(3)))
          await one.delete()
          await expect(two.prepare(requestOf(chatOf(4)))).rejects.toMatchObject({ code: 'deleted' })
          expect(await other.conversations()).toEqual([])
        }))

      it('see what the other one forgot', () =>
        onDevice(async (device) => {
          const one = device.openTab(SMALL).conversation('gates')
          const two = device.openTab(SMALL).conversation('gates')
          await one.prepare(requestOf(chatOf(20)))
          await two.prepare(requestOf(chatOf(20)))
          expect(await one.forget(2)).toBe(true)
          expect(await two.transcript()).toHaveLength(40)
          expect(await two.compactions()).toEqual([])
          await two.prepare(requestOf(chatOf(21)))
          expect(await two.export()).toBe(await one.export())
        }))

      it('buy one summary alone', () => {
        let calls = 0
        let answer: () => void = () => {}
        const written = new Promise<void>((resolve) => {
          answer = resolve
        })
        const summarizer: Summarizer = async () => {
          calls++
          await written
          return 'The deploy key is K-4217; the gates so far were looked at, nothing was found.'
        }
        return onDevice(async (device) => {
          if (typeof navigator === 'undefined' || !navigator.locks) return // Node 20 has none
          const options = { ...SMALL, summarizer }
          const one = device.openTab(options).conversation('gates')
          const two = device.openTab(options).conversation('gates')
          await one.prepare(requestOf(chatOf(10)))
          await two.prepare(requestOf(chatOf(10)))
          const asked = new Promise<void>((resolve) => one.on('compaction:start', () => resolve()))
          const first = one.prepare(requestOf(chatOf(20)))
          await asked
          const second = await two.prepare(requestOf(chatOf(20)))
          expect(second.report.outcome).toBe('failed')
          expect(second.report.reason).toContain('another tab')
          answer()
          const made = await first
          expect(calls).toBe(1)
          const again = await two.prepare(requestOf(chatOf(20)))
          expect(bytesOf(again.request)).toBe(bytesOf(made.request))
          expect(calls).toBe(1)
        })
      })

      it('go on from the compaction of the other one', () =>
        onDevice(async (device) => {
          const one = device.openTab(SMALL).conversation('gates')
          const two = device.openTab(SMALL).conversation('gates')
          await two.prepare(requestOf(chatOf(10)))
          const made = await one.prepare(requestOf(chatOf(20)))
          expect(made.report.outcome).toBe('compacted')
          const seen = await two.prepare(requestOf(chatOf(20)))
          expect(bytesOf(seen.request)).toBe(bytesOf(made.request))
          expect(await two.compactions()).toHaveLength(1)
        }))
    })
  })
}

/** A file that is taken apart. */
interface Damaged {
  readonly entries: { readonly edits?: object[] }[]
}

function spoilEdits({ entries }: Damaged): void {
  const edit = { seq: 0, part: 99, text: 'x', pass: 'p', reason: 'r' }
  const compaction = entries.find(({ edits }) => edits)
  compaction?.edits?.push({ type: 'rewrite', tokensBefore: 0, tokensAfter: 0, ...edit })
}

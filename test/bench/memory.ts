import type { Tamp, TampOptions } from '../../src/index.ts'
import { type BenchRequest, benchRequest } from './conversation.ts'
import { type Figure, sizes } from './figure.ts'

/** Where the memory of an engine can be measured. */
export interface MemoryDevice {
  readonly place: string
  /** Opens another tab over the same store, as a reload does; resolves when its engine answers. */
  readonly openTab: (options: TampOptions) => Promise<Tamp>
  /** Bytes that the engine's heap holds, what is dead collected before. */
  readonly heapBytes: () => Promise<number>
}

/** A window in which nothing is ever due. */
const ROOMY: TampOptions = { window: 8_000_000, reserveTokens: 0 }

const APPENDED_MESSAGES = 10

/** Measures what the engine holds of a conversation, as a multiple of the conversation's text. */
export async function memoryFigures(device: MemoryDevice): Promise<Figure[]> {
  const { label, tokens } = sizes[2]
  const name = `memory ${label}`
  const request = benchRequest(tokens, tokens)
  const textBytes = bytesOfTexts(request.messages)
  const synced = await heldBytes(device, name, request)
  const reloaded = await heldBytes(device, name, request)
  const figure = (what: string, bytes: number): Figure => ({
    name: `${device.place}, memory of ${label} ${what} / its text`,
    value: bytes / textBytes,
    unit: 'ratio',
  })
  return [figure('after the first sync', synced), figure('after a reload', reloaded)]
}

/** What the heap grows by with a conversation that is prepared, and goes on for a few messages. */
async function heldBytes(device: MemoryDevice, name: string, start: BenchRequest): Promise<number> {
  const tamp = await device.openTab(ROOMY)
  try {
    // The tokenizer's tables are none of the conversation's.
    await tamp.measure(benchRequest(50, 1))
    const before = await device.heapBytes()
    let request = start
    for (let round = 0; round <= APPENDED_MESSAGES; round += 1) {
      await tamp.conversation(name).prepare(request)
      const question = { role: 'user', content: `And what of point ${round}?` } as const
      request = { ...request, messages: [...request.messages, question] }
    }
    return (await device.heapBytes()) - before
  } finally {
    await tamp.close()
  }
}

/** The bytes of all strings in a value as V8 holds them: one for each character of Latin-1, else two. */
function bytesOfTexts(value: unknown): number {
  if (typeof value === 'string') return isLatin1(value) ? value.length : value.length * 2
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + bytesOfTexts(inner), 0)
}

function isLatin1(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return false
  return true
}

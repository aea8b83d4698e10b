import type { Native } from '../native.ts'

/** The place before the first message. */
export const ROOT = -1

/** A naive log: every message once below each parent, as it was first sent. Written apart from `src`. */
export class ChatTree {
  private readonly numbers = new Map<string, number>()
  private readonly parents: number[] = []
  private readonly first: Native[] = []
  private readonly forgotten = new Set<number>()

  /** Gives back the node of a message below a parent, a new one where it was never there. */
  add(parent: number, message: Native): number {
    const name = `${parent} ${bytesOf(message)}`
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    const node = this.first.length
    this.numbers.set(name, node)
    this.parents.push(parent)
    this.first.push(structuredClone(message))
    return node
  }

  has(parent: number, message: Native): boolean {
    return this.numbers.has(`${parent} ${bytesOf(message)}`)
  }

  /** Nodes from the first message to this one; none for `ROOT`. */
  path(node: number): readonly number[] {
    const path: number[] = []
    for (let at = node; at !== ROOT; at = this.parents[at] ?? ROOT) path.unshift(at)
    return path
  }

  /** The message as it was first sent. */
  native(node: number): Native {
    const native = this.first[node]
    if (!native) throw new RangeError(`there is no node ${node}`)
    return native
  }

  forget(node: number): void {
    this.forgotten.add(node)
  }

  isForgotten(node: number): boolean {
    return this.forgotten.has(node)
  }

  /** How many messages on all branches say the same, forgotten ones included. */
  copies(node: number): number {
    const bytes = bytesOf(this.native(node))
    return this.first.filter((native) => bytesOf(native) === bytes).length
  }

  /** How many messages stand in the same place, this one included, forgotten ones aside. */
  branches(node: number): number {
    const parent = this.parents[node]
    return this.parents.filter((other, at) => other === parent && !this.forgotten.has(at)).length
  }
}

/** The bytes of a value, cache marks aside. */
export function bytesOf(value: unknown): string {
  return JSON.stringify(value, (name, held) => (name === 'cache_control' ? undefined : held))
}

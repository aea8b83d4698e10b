import { benchRequest } from '../conversation.ts'
import { peers } from './peers.ts'

/**
 * Runs one peer in a process of its own: `peer.mjs NAME TOKENS ROUNDS`. Prints the milliseconds of each round, the
 * first one, in which the engine still compiles, left out. Fresh input each time.
 */
const [name, tokens, rounds] = process.argv.slice(2)
const peer = peers.find((candidate) => candidate.name === name)
if (!peer) throw new Error(`no peer is called ${name}`)
const size = Number(tokens)
const times: number[] = []
for (let round = 0; round <= Number(rounds); round++) {
  const work = await peer.prepare(benchRequest(size, size + round), size / 2)
  const start = performance.now()
  const left = await work()
  times.push(performance.now() - start)
  if (left < 1) throw new Error(`${name} left nothing`)
}
console.log(JSON.stringify({ times: times.slice(1) }))
process.exit(0)

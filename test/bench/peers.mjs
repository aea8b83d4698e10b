import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'vite'
import { root } from '../../.ci/install.mjs'

const SIZES = [
  { label: '10k', tokens: 10_000, rounds: 9 },
  { label: '100k', tokens: 100_000, rounds: 5 },
  { label: '1M', tokens: 1_000_000, rounds: 1 },
]

/** Names, with the largest conversation on which each ends in bearable time (`peers/peers.ts`). */
const PEERS = [
  ['Tamp, fit', 1_000_000],
  ['Tamp, prepare after one more message', 1_000_000],
  ['LangChain trimMessages, each message counted once', 1_000_000],
  ['LangChain trimMessages, plain', 100_000],
  ['LangChain summarizationMiddleware, scripted model', 100_000],
  ['LangChain ClearToolUsesEdit', 100_000],
  ['AI SDK pruneMessages (no budget, nothing counted)', 1_000_000],
]

/** What other libraries take to bring a conversation down to half of its size: each in a process of its own. */
export async function peerFigures() {
  const outDir = join(root, 'dist', 'bench')
  const rolldownOptions = { output: { entryFileNames: 'peer.mjs' } }
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      ssr: 'test/bench/peers/peer.ts',
      target: 'node20',
      rolldownOptions,
    },
  })
  return SIZES.flatMap((size) =>
    PEERS.filter(([, upTo]) => size.tokens <= upTo).map(([name]) =>
      figureOf(join(outDir, 'peer.mjs'), name, size),
    ),
  )
}

function figureOf(file, name, { label, tokens, rounds }) {
  const ran = spawnSync(process.execPath, [file, name, String(tokens), String(rounds)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (ran.status !== 0) throw new Error(`${name} at ${label} failed: ${ran.stderr}`)
  const { times } = JSON.parse(ran.stdout.trim().split('\n').at(-1))
  const sorted = [...times].sort((a, b) => a - b)
  return {
    name: `Node, ${label}: ${name}`,
    value: sorted[Math.floor(sorted.length / 2)],
    unit: 'ms',
  }
}

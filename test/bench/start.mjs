/** From `new Worker` to the first count in Chromium, beside a worker with gpt-tokenizer's module. */
import { copyFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { chromium } from 'playwright'
import { build } from 'vite'
import { root } from '../../.ci/install.mjs'
import { ensureRanks, rankFile } from '../../.ci/ranks.mjs'

const ROUNDS = 7
/** Starts in one profile; the last one is that of a page that is visited again. */
const STARTS = 4
const names = ['empty', 'tamp', 'gpt-tokenizer']
const outDir = join(root, 'dist', 'bench', 'start')
const types = { '.js': 'text/javascript', '.bin': 'application/octet-stream' }

/**
 * Figures of the start: milliseconds above those of an empty module worker, and their ratio in each round. All files
 * are in the browser's HTTP cache; the profile of a first visit is new, so that it has no compiled code.
 */
export async function startFigures(launch) {
  await buildWorkers()
  const server = await serve()
  const { port } = server.address()
  const rounds = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await startsInNewProfile(launch, `http://127.0.0.1:${port}/`, round))
    }
  } finally {
    server.close()
  }
  return [
    ...figuresOf('first visit', rounds, 0),
    ...figuresOf('repeated visit', rounds, STARTS - 1),
  ]
}

async function buildWorkers() {
  for (const name of names) {
    const input = join(root, 'test', 'bench', 'start', `${name}-worker.ts`)
    const output = { entryFileNames: `${name}.js`, codeSplitting: false }
    await build({
      root,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      build: {
        outDir,
        emptyOutDir: false,
        target: 'es2022',
        chunkSizeWarningLimit: 4096,
        rolldownOptions: { input, output },
      },
    })
  }
  await ensureRanks()
  copyFileSync(rankFile('o200k_base'), join(outDir, 'o200k_base.bin'))
}

async function serve() {
  const server = createServer((request, response) => {
    const path = request.url.slice(1)
    const headers = {
      'content-type': types[extname(path)] ?? 'text/html',
      'cache-control': 'max-age=3600',
    }
    const isFile = /^[\w-]+\.(js|bin)$/.test(path)
    response.writeHead(200, headers)
    response.end(isFile ? readFileSync(join(outDir, path)) : '<!doctype html><title>Start</title>')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** What each worker took by start, in milliseconds. */
async function startsInNewProfile(launch, url, round) {
  const browser = await chromium.launch(launch)
  try {
    const page = await browser.newPage()
    await page.goto(url)
    const files = [...names.map((name) => `/${name}.js`), '/o200k_base.bin']
    await page.evaluate(fetchAll, files)
    const times = Object.fromEntries(names.map((name) => [name, []]))
    for (let start = 0; start < STARTS; start++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(turn + round) % names.length]
        times[name].push(await page.evaluate(startOnce, `/${name}.js`))
      }
    }
    return times
  } finally {
    await browser.close()
  }
}

async function fetchAll(files) {
  for (const file of files) await (await fetch(file)).arrayBuffer()
}

function startOnce(url) {
  return new Promise((resolve, reject) => {
    const from = performance.now()
    const worker = new Worker(url, { type: 'module' })
    worker.onerror = (event) => reject(new Error(`${url}: ${event.message}`))
    worker.onmessage = () => {
      resolve(performance.now() - from)
      worker.terminate()
    }
  })
}

function figuresOf(visit, rounds, start) {
  const net = (name) => rounds.map((times) => times[name][start] - times.empty[start])
  const tamp = net('tamp')
  const rival = net('gpt-tokenizer')
  const ratios = tamp.map((ms, round) => ms / rival[round])
  return [
    { name: `start to first count, ${visit}: Tamp`, value: median(tamp), unit: 'ms' },
    { name: `start to first count, ${visit}: gpt-tokenizer`, value: median(rival), unit: 'ms' },
    {
      name: `start to first count, ${visit}: Tamp / gpt-tokenizer`,
      value: median(ratios),
      unit: 'ratio',
    },
  ]
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

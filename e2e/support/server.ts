import { existsSync } from 'node:fs'
import { preview } from 'vite'

/** The environment variable that carries the address from here to the processes that run specs. */
const addressVariable = 'TAMP_E2E_URL'

/**
 * Playwright's global setup: serves dist/demo on a port that the system picks, so that several
 * working copies can be tested at once. Such ports lie above all those that browsers refuse.
 */
export async function serveBuiltDemo(): Promise<() => Promise<void>> {
  if (!existsSync('dist/demo/index.html')) {
    throw new Error('dist/demo is missing: run "npm run build" first')
  }
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: 0 } })
  const address = server.httpServer.address()
  if (address === null || typeof address === 'string') throw new Error('the preview has no port')
  process.env[addressVariable] = `http://127.0.0.1:${address.port}/`
  return () => server.close()
}

/** The address of the built demo. */
export function baseUrl(): string {
  const address = process.env[addressVariable]
  if (address === undefined) throw new Error(`${addressVariable} is not set: no demo is served`)
  return address
}

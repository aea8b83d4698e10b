/**
 * `npm run demo`: installs what is missing, builds the demo, serves it and prints its URL as the
 * last line. Runs until it is stopped.
 */
import { installPackages, run } from './install.mjs'

installPackages()
if (run(process.execPath, ['.ci/build.mjs']) !== 0) process.exit(1)

// Only now: before the installation there was no Vite to import.
const { preview } = await import('vite')
const port = process.env.PORT === undefined ? 4173 : Number(process.env.PORT)
// Of a port in use Vite takes the next one; those below 4190 are no ports that browsers refuse.
const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port } })
// npm ends without its child when it is killed: then the server ends too.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit()
}, 1000).unref()
console.log(server.resolvedUrls.local[0])

/** Playwright wants the setup as the default export of a file. */
export { serveBuiltDemo as default } from './server.ts'

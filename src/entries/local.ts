/** The engine in the calling thread, for Node, service workers and tests: `createTamp({ engine: localEngine() })`. */
export { localEngine } from '../engine/local.ts'

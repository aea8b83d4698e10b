/**
 * Gives back a name that nothing else has. `randomUUID` is there in secure contexts alone; a page on plain http has
 * random numbers all the same.
 */
export function uniqueId(): string {
  return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-')
}

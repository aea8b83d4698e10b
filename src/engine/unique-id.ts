/**
 * Gives back a name that nothing else has. `randomUUID` is there in secure contexts alone; a page on plain http has
 * random numbers all the same.
 */
export function uniqueId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

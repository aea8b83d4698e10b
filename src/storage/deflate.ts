/**
 * Natives whose JSON takes more bytes than this are deflated. Chromium moves a value above 64 KB out of its row into a
 * file of its own, which is one more thing that can fail and be lost (BROWSERS 2.1).
 */
export const LARGE_BYTES = 65_536

/** Bytes of a native that was deflated, as they lie in its row. */
export type Deflated = Uint8Array<ArrayBuffer>

/** Deflated natives by the identity of the native. */
export type DeflatedNatives = ReadonlyMap<unknown, Deflated>

/**
 * Deflates the large ones among `natives`; small ones are not in what it gives back. A native is JSON data, so
 * the way through JSON loses nothing: `JSON.stringify` escapes the lone surrogates that UTF-8 has no form for.
 */
export async function deflateLarge(natives: readonly unknown[]): Promise<DeflatedNatives> {
  const deflated = new Map<unknown, Deflated>()
  for (const native of natives) {
    const bytes = largeBytes(native)
    if (bytes) deflated.set(native, await through(bytes, new CompressionStream('deflate')))
  }
  return deflated
}

/** Gives back what {@link deflateLarge} took. Rejects where the bytes are damaged: zlib's form carries a checksum. */
export async function inflate(deflated: Deflated): Promise<unknown> {
  const bytes = await through(deflated, new DecompressionStream('deflate'))
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
}

/** The native as bytes of JSON, where they are many. */
function largeBytes(native: unknown): Deflated | undefined {
  const json = JSON.stringify(native)
  // No UTF-16 unit takes more than three bytes, so most natives are not encoded to be measured.
  if (json === undefined || json.length * 3 <= LARGE_BYTES) return undefined
  const bytes = new TextEncoder().encode(json)
  return bytes.length > LARGE_BYTES ? bytes : undefined
}

async function through(
  bytes: Deflated,
  stream: CompressionStream | DecompressionStream,
): Promise<Deflated> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream)
  return new Uint8Array(await new Response(piped).arrayBuffer())
}

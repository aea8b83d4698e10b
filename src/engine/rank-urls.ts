import { type Encoding, encodings } from '../core/encoding.ts'

/** The address of the rank file of each encoding. */
export type RankUrls = Readonly<Record<Encoding, string>>

/**
 * Gives back where the rank files lie: where the app says, else beside the library. Addresses of the app are relative
 * to its page. Throws TypeError for one that is none.
 */
export function rankUrls(own: Partial<Record<Encoding, string | URL>> = {}): RankUrls {
  const besideLibrary = filesBesideLibrary()
  const urls = encodings.map((encoding) => {
    const url = own[encoding]
    return [encoding, url === undefined ? besideLibrary[encoding].href : absolute(url)]
  })
  // Safe: one address for each encoding.
  return Object.fromEntries(urls) as RankUrls
}

/** Literals, for both trees: bundlers find the files by them, as they find the worker (DESIGN 11). */
function filesBesideLibrary(): Readonly<Record<Encoding, URL>> {
  return {
    o200k_base: new URL('../../worker/ranks/o200k_base.bin', import.meta.url),
    cl100k_base: new URL('../../worker/ranks/cl100k_base.bin', import.meta.url),
  }
}

function absolute(url: string | URL): string {
  const page = typeof location === 'undefined' ? undefined : location.href
  return new URL(url, page).href
}

/**
 * What the split rules tell characters apart by. The numbers are those of the rank files; those from
 * {@link UPPER} on are letters and marks, so that one comparison tells them.
 */
export const OTHER = 0
/** White space (the property `White_Space`, as Rust's `\s`) without CR and LF. */
export const BLANK = 1
export const LINE_END = 2
export const NUMBER = 3
/** Upper and title case. */
export const UPPER = 4
export const LOWER = 5
/** Letters without case, modifier letters among them. */
export const CASELESS = 6
export const MARK = 7
/** Of a byte: the first of a character beyond ASCII. */
export const WIDE = 8
/** No character: the byte behind a text. */
export const END = 9

/** A look at a character is one number: its class in the low bits, its length in bytes above them. */
export const CLASS_BITS = 4
export const CLASS_MASK = (1 << CLASS_BITS) - 1

/** UTF-8 has no such byte: it stands behind a text, so that a scanner need not ask where that ends. */
export const END_BYTE = 0xff

const CODE_POINTS = 0x110000

/**
 * Gives back the class of every code point, from runs in ascending order: the length of a run as a
 * variable-length number (seven bits a byte, the lowest first), then its class. Frozen in the rank files, since
 * counts must not change with the Unicode version of a browser (TOKENS T6).
 */
export function decodeClasses(runs: Uint8Array): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS)
  let codePoint = 0
  for (let at = 0; at < runs.length; at++) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = runs[at++] ?? 0
      length |= (byte & 127) << shift
      if (byte < 128) break
    }
    classes.fill(runs[at] ?? OTHER, codePoint, codePoint + length)
    codePoint += length
  }
  return classes
}

/** Gives back the classes by byte: of ASCII characters, and {@link WIDE} or {@link END} for the others. */
export function classesOfBytes(classes: Uint8Array): Uint8Array {
  const ofBytes = new Uint8Array(256).fill(WIDE)
  ofBytes.set(classes.subarray(0, 128))
  ofBytes[END_BYTE] = END
  return ofBytes
}

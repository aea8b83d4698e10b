import { readFileSync } from 'node:fs'
import { Tiktoken } from 'tiktoken/lite'
import type { Encoding } from '../../src/core/encoding.ts'

interface EncodingFile {
  readonly bpe_ranks: string
  readonly special_tokens: Record<string, number>
  readonly pat_str: string
}

/** Gives back tiktoken's own count (its WebAssembly build); quadratic in the longest pretoken. */
export function tiktokenCounter(encoding: Encoding): (text: string) => number {
  const path = `node_modules/tiktoken/encoders/${encoding}.json`
  // Safe: the file is that of the pinned package.
  const file = JSON.parse(readFileSync(path, 'utf8')) as EncodingFile
  const tiktoken = new Tiktoken(file.bpe_ranks, file.special_tokens, file.pat_str)
  return (text) => tiktoken.encode_ordinary(text).length
}

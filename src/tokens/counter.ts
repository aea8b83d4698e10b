import type { Encoding } from '../core/encoding.ts'

/** Counts the tokens of texts, synchronously, without a network. */
export interface TokenCounter {
  /**
   * Tokens of a text, as tiktoken's ordinary encoding has them; special tokens in it are ordinary text. Never throws;
   * linear in the length.
   */
  readonly count: (text: string) => number
}

/** OpenAI models that still use cl100k_base (gpt-tokenizer's own model list). */
const CL100K_MODEL = /^(?:gpt-4(?!o|\.1|\.5)|gpt-3\.5|text-embedding)/u

/** Models whose own tokenizer is one of the two. */
const OPENAI_MODEL = /^(?:openai\/)?(?:gpt|chatgpt|o\d|codex|text-embedding)/u

/** True where the encoding is the model's own, and a count no estimate (TOKENS 7). */
export function isOwnEncoding(model: string | undefined): boolean {
  return model !== undefined && OPENAI_MODEL.test(model)
}

/** Gives back the encoding of a model; o200k_base unless the model is known to use another (SEEDS Z1). */
export function encodingOf(model: string | undefined): Encoding {
  return model !== undefined && CL100K_MODEL.test(model) ? 'cl100k_base' : 'o200k_base'
}

/** The encodings that Tamp counts with, in the order that rank files number them by. */
export const encodings = ['o200k_base', 'cl100k_base'] as const

/** An encoding by its name. For models of other makers than OpenAI o200k_base is an estimate (TOKENS 7). */
export type Encoding = (typeof encodings)[number]

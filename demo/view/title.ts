import { contentText } from '../chat/sent.ts'
import type { ChatState } from '../chat/state.ts'

const titleLength = 48

/** Gives back what a conversation is called: its name, or else its first words. */
export function titleOf(name: string | undefined, firstWords: string): string {
  const words = firstWords.trim().replaceAll(/\s+/gu, ' ')
  const short = words.length > titleLength ? `${words.slice(0, titleLength).trimEnd()}…` : words
  return name ?? (short === '' ? 'Without words' : short)
}

/** The same for the conversation that is open, which may not be stored yet. */
export function openTitle({
  about,
  path,
  isOpening,
}: Pick<ChatState, 'about' | 'path' | 'isOpening'>): string {
  const name = about.value.title
  if (isOpening.value) return name ?? 'Opening…'
  if (path.value.length === 0) return name ?? 'New chat'
  const first = path.value.find(({ native }) => native.role === 'user')
  return titleOf(name, first === undefined ? '' : contentText(first.native))
}

import type { ConversationHead } from '../core/log/entry.ts'

/** Gives back the heads of the conversations that are there, the newest change first. */
export function newestFirst(heads: readonly ConversationHead[]): ConversationHead[] {
  return heads.filter(({ deleted }) => !deleted).sort((a, b) => b.updatedAt - a.updatedAt)
}

import type { Invariant } from '../core/invariant.ts'

/**
 * In OpenAI chat, images stand in user messages only; a tool message takes text parts.
 *
 * 400 (a recorded exchange in pydantic/pydantic-ai): "Invalid 'messages[3]'. Content blocks are expected to be
 * either text or image_url type." Compatible services differ, so no input is refused for it; no edit makes one.
 */
export const mediaIsInUserMessages: Invariant = {
  name: 'media-is-in-user-messages',
  refusedBy: [],
  check: (view) =>
    view.dialect.resultRole === 'user'
      ? []
      : view.units
          .filter(
            (unit) => unit.role !== 'user' && unit.parts.some((part) => part.type === 'media'),
          )
          .map((unit) => ({
            rule: mediaIsInUserMessages.name,
            key: String(unit.seq),
            message: `message ${unit.seq} of role ${unit.role} holds media`,
          })),
}

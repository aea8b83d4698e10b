import type { Notices } from '../chat/notices.ts'

/** Something about the engine that the person should know; the polite region is there before its text. */
export function NoticeBar({ notices }: { notices: Notices }) {
  const text = notices.notice.value
  const close = () => {
    notices.notice.value = undefined
  }
  return (
    <div role="status">
      {text !== undefined && (
        <div class="notice" data-testid="notice">
          <span>{text}</span>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  )
}

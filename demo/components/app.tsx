import type { Chat } from '../chat/chat.ts'
import type { Library } from '../chat/library.ts'
import type { Notices } from '../chat/notices.ts'
import { canChat } from '../chat/opening.ts'
import { Composer } from './composer.tsx'
import { ContextPanel } from './context-panel.tsx'
import { ConversationPanel } from './conversation-panel.tsx'
import { FailureBox } from './failure-box.tsx'
import { FitPanel } from './fit-panel.tsx'
import { Header } from './header.tsx'
import { JumpLink } from './jump-link.tsx'
import { NoticeBar } from './notice-bar.tsx'
import { Suggestions } from './suggestions.tsx'
import { Transcript } from './transcript.tsx'

export interface AppProps {
  readonly chat: Chat
  readonly library: Library
  readonly notices: Notices
}

/** The whole page. */
export function App({ chat, library, notices }: AppProps) {
  const isChat = canChat(chat.about.value)
  return (
    <>
      <JumpLink class="skip" to="composer">
        Skip to the message field
      </JumpLink>
      <Header chat={chat} library={library} notices={notices} />
      <ConversationPanel chat={chat} library={library} />
      <ContextPanel chat={chat} />
      <main class="talk">
        <Transcript chat={chat} />
        <div class="dock">
          <NoticeBar notices={notices} />
          <FailureBox chat={chat} />
          {isChat && !chat.isOpening.value && <Suggestions chat={chat} />}
          {isChat ? <Composer chat={chat} /> : <FitPanel chat={chat} />}
        </div>
      </main>
      <p class="unseen" role="status">
        {notices.announcement}
      </p>
    </>
  )
}

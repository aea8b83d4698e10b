import type { Chat } from '../chat/chat.ts'
import { canChat } from '../chat/conversation.ts'
import type { Notices } from '../chat/notices.ts'
import { Composer } from './composer.tsx'
import { ContextPanel } from './context-panel.tsx'
import { FailureBox } from './failure-box.tsx'
import { FitPanel } from './fit-panel.tsx'
import { Header } from './header.tsx'
import { NoticeBar } from './notice-bar.tsx'
import { Suggestions } from './suggestions.tsx'
import { Transcript } from './transcript.tsx'

/** The whole page. */
export function App({ chat, notices }: { chat: Chat; notices: Notices }) {
  const isChat = canChat(chat.conversation.value)
  return (
    <>
      <a class="skip" href="#composer">
        Skip to the message field
      </a>
      <Header chat={chat} notices={notices} />
      <ContextPanel chat={chat} />
      <main class="talk">
        <Transcript chat={chat} />
        <div class="dock">
          <NoticeBar notices={notices} />
          <FailureBox chat={chat} />
          {isChat && <Suggestions chat={chat} />}
          {isChat ? <Composer chat={chat} /> : <FitPanel chat={chat} />}
        </div>
      </main>
      <p class="unseen" role="status">
        {notices.announcement}
      </p>
    </>
  )
}

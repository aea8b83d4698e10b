import { useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import { reserveOf } from '../chat/window.ts'
import { compactionViews, unchangedReason } from '../view/compaction.ts'
import { meterView } from '../view/meter.ts'
import { formatNumber } from '../view/numbers.ts'
import { CompactNow } from './compact-now.tsx'
import { Inspector } from './inspector.tsx'
import { JumpLink } from './jump-link.tsx'
import { Legend, Meter, MeterOpening } from './meter.tsx'

/** What the model holds now, in numbers. */
export function ContextPanel({ chat }: { chat: Chat }) {
  const windowTokens = chat.windowTokens.value
  const parts = { windowTokens, reserveTokens: reserveOf(windowTokens) }
  const view = meterView(chat.measurement.value, parts)
  const isOpening =
    chat.isOpening.value || (chat.isMeasuring.value && chat.measurement.value === undefined)
  // Open where there is room for it; on a narrow screen the bar and its text say enough.
  const opensAtStart = useRef(matchMedia('(min-width: 60rem)').matches)
  return (
    <aside class="context" aria-label="Context">
      {isOpening ? <MeterOpening /> : <Meter view={view} />}
      <details open={opensAtStart.current}>
        <summary>Where the tokens are</summary>
        {!isOpening && <Legend view={view} />}
        <LastRequest chat={chat} />
        <CompactNow chat={chat} />
      </details>
      <Inspector chat={chat} />
    </aside>
  )
}

function LastRequest({ chat }: { chat: Chat }) {
  const usage = chat.usage.value
  const reason = unchangedReason(chat.sent.value)
  const { path, compactions, snapshot } = chat
  const compaction = compactionViews({
    path: path.value,
    compactions: compactions.value,
    canRedo: false,
  })[0]
  const count = snapshot.value?.compactions ?? 0
  return (
    <>
      {usage !== undefined && (
        <p class="quiet">
          {`Last request: ${formatNumber(usage.prompt_tokens)} tokens in, ${formatNumber(usage.completion_tokens)} out, counted by the simulator (${chat.persona.value.model}).`}
        </p>
      )}
      {compaction !== undefined && (
        <p class="quiet">
          {`Compacted${count > 1 ? `, ${count} times so far` : ''}: ${compaction.tokens}. `}
          <JumpLink to="compaction">Show where</JumpLink>
        </p>
      )}
      {reason !== undefined && <p class="quiet">{`Not compacted: ${reason}.`}</p>}
    </>
  )
}

import { type MeterView, type Segment, segmentWords } from '../view/meter.ts'
import { formatNumber } from '../view/numbers.ts'

const levelSigns = { roomy: '○', filling: '◐', 'nearly full': '●', 'over the limit': '▲' } as const

/** The stacked bar, with the same state as text above it and as one sentence for screen readers. */
export function Meter({ view }: { view: MeterView }) {
  return (
    <div class="meter">
      <p class="meter-line">
        <span class="meter-text" data-testid="meter-text">
          {view.text}
        </span>
        <span class="meter-unit">tokens</span>
        <span class={`level level-${view.level.replaceAll(' ', '-')}`}>
          <span aria-hidden="true">{levelSigns[view.level]}</span> {view.level}
          {view.counting === 'estimated' && ', estimated'}
        </span>
      </p>
      <Bar view={view} />
    </div>
  )
}

/** Stands in place of the meter before there is something to show. */
export function MeterOpening() {
  return (
    <div class="meter" aria-busy="true">
      <p class="meter-line">
        <span class="meter-text" data-testid="meter-text">
          Opening…
        </span>
      </p>
      <div class="bar" aria-hidden="true">
        <span class="segment segment-free" style={{ flexGrow: 1 }} />
      </div>
      <div class="scale" />
    </div>
  )
}

function Bar({ view }: { view: MeterView }) {
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot show a stack of segments */}
      <div
        class="bar"
        role="meter"
        data-testid="meter"
        aria-label="Context window"
        aria-valuemin={0}
        aria-valuemax={view.windowTokens}
        aria-valuenow={Math.min(view.usedTokens, view.windowTokens)}
        aria-valuetext={view.sentence}
      >
        {barOrder(view.segments)
          .filter((segment) => segment.tokens > 0)
          .map((segment) => (
            <span
              key={segment.name}
              class={`segment segment-${segment.name}`}
              data-segment={segment.name}
              style={{ flexGrow: segment.tokens }}
            />
          ))}
      </div>
      <div class="scale" aria-hidden="true">
        {view.ticksPercent.map((percent) => (
          <span key={percent} class="tick" style={{ insetInlineStart: `${percent}%` }} />
        ))}
      </div>
    </>
  )
}

/** The reserve lies at the end of the window, so free room is drawn before it: where it begins, compaction does. */
function barOrder(segments: readonly Segment[]): readonly Segment[] {
  const reserve = segments.filter((segment) => segment.name === 'reserve')
  return [...segments.filter((segment) => segment.name !== 'reserve'), ...reserve]
}

/** Every segment as text, and what the words and the marks below the bar mean. */
export function Legend({ view }: { view: MeterView }) {
  return (
    <>
      <dl class="legend">
        {view.segments.map(({ name, label, tokens }) => (
          <div
            key={name}
            class={tokens === 0 ? 'legend-row is-empty' : 'legend-row'}
            title={segmentWords[name]}
          >
            <dt>
              <span class={`swatch segment-${name}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>{formatNumber(tokens)}</dd>
          </div>
        ))}
      </dl>
      <Words view={view} />
    </>
  )
}

/** Titles are for the mouse alone; here everyone finds the same. */
function Words({ view }: { view: MeterView }) {
  return (
    <details class="fold">
      <summary>What the words and the marks mean</summary>
      <ul class="notes">
        {view.segments.map(({ name, label }) => (
          <li key={name}>{`${label}: ${segmentWords[name]}.`}</li>
        ))}
      </ul>
      <p class="quiet">Marks below the bar, in tokens:</p>
      <ul class="notes">
        {view.tickWords.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </details>
  )
}

/**
 * What the figures must be. Each is a ratio measured in one run, or a time or size that holds on any machine of today;
 * a figure that was not measured is not judged.
 */
const CORPORA = ['prose', 'code', 'json', 'logs', 'cjk', 'base64', 'emoji']
const EASY = ['prose', 'code', 'json', 'logs']
const HARD = ['cjk', 'base64', 'emoji']
const PAGE = 'Chromium worker'
const PREPARE = 'prepare after one more message'

const targets = [
  ...CORPORA.map((corpus) => atLeast(`counting, ${corpus}, cold: gpt-tokenizer / Tamp`, 3.5)),
  ...EASY.map((corpus) => atLeast(`counting, ${corpus}, warm: gpt-tokenizer / Tamp`, 4)),
  ...HARD.map((corpus) => atLeast(`counting, ${corpus}, warm: gpt-tokenizer / Tamp`, 3.5)),
  ...EASY.map((corpus) => atLeast(`counting, ${corpus}, warm: tiktoken / Tamp`, 8)),
  ...HARD.map((corpus) => atLeast(`counting, ${corpus}, cold: tiktoken / Tamp`, 1.5)),
  atMost(/^counting, 1M units of .*: Tamp$/, 2000),
  atMost(/^counting, .*, exponent of growth: Tamp$/, 1.15),
  atMost('counting, memory of Tamp', 20),
  atMost('start to first count, first visit: Tamp / gpt-tokenizer', 1 / 3),
  atMost('start to first count, repeated visit: Tamp / gpt-tokenizer', 1 / 4),
  atMost(`${PAGE}: ${PREPARE}, 1M / 10k`, 2),
  atLeast('Node, 1M: LangChain trimMessages / Tamp prepare', 50),
  atMost(`${PAGE}, compaction of 1M: worker time`, 1500),
  atMost(`${PAGE}, compaction of 1M: slowest answer of measure meanwhile`, 50),
  atMost(`${PAGE}, compaction of 1M, page at 4x throttling: longest page task`, 16),
  atMost(/: first prepare, longest page task$/, 16),
  atMost(/: later prepare, longest page task$/, 1),
  atMost(`${PAGE}, conversation 1M: prepare after a reload / read of its rows`, 2),
  atMost(/, memory of 1M .* \/ its text$/, 3),
]

/** Figures that compare figures of several parts. */
export function derivedFigures(figures) {
  const measuredAs = (name) => figures.find((figure) => figure.name === name)?.value
  const ratio = (name, over, under) => {
    const [value, by] = [measuredAs(over), measuredAs(under)]
    return value === undefined || by === undefined
      ? []
      : [{ name, value: value / by, unit: 'ratio' }]
  }
  const prepared = (place, size) => `${place}, conversation ${size}: ${PREPARE}`
  const trimmed = 'Node, 1M: LangChain trimMessages, each message counted once'
  return [
    ...[PAGE, 'Node'].flatMap((place) =>
      ratio(`${place}: ${PREPARE}, 1M / 10k`, prepared(place, '1M'), prepared(place, '10k')),
    ),
    ...ratio(
      'Node, 1M: LangChain trimMessages / Tamp prepare',
      trimmed,
      `Node, 1M: Tamp, ${PREPARE}`,
    ),
    ...ratio('Node, 1M: LangChain trimMessages / Tamp fit', trimmed, 'Node, 1M: Tamp, fit'),
  ]
}

/** Gives back each target that was measured, with whether it is met. */
export function judged(figures) {
  return targets.flatMap(({ figure, limit, isMet }) =>
    figures
      .filter(({ name }) => (typeof figure === 'string' ? name === figure : figure.test(name)))
      .map((found) => ({ ...found, limit, ok: isMet(found.value) })),
  )
}

function atMost(figure, most) {
  return { figure, limit: `at most ${round(most)}`, isMet: (value) => value <= most }
}

function atLeast(figure, least) {
  return { figure, limit: `at least ${round(least)}`, isMet: (value) => value >= least }
}

function round(value) {
  return Number(value.toFixed(2))
}

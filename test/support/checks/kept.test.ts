import { describe, expect, it } from 'vitest'
import { anthropic, openai } from '../build.ts'
import { judge } from '../judge.ts'
import {
  type BadRow,
  checkpoint,
  input,
  last,
  long,
  pictured,
  pngUrl,
  type Row,
  read,
  readTwice,
  reply,
  request,
  run,
  superseded,
  task,
} from './made-up.ts'

const good: readonly Row[] = [
  ['first-user-kept', 'the task with a block behind it', run([checkpoint('summary'), last])],
  [
    'last-user-kept',
    'the last request with words before it',
    run([task, reply, openai.user(`[Ann] ${last.content}`)]),
  ],
  [
    'newest-result-kept',
    'an older read that left',
    { input: readTwice, output: [task, ...readTwice.slice(3)] },
  ],
  ['images-kept', 'the same image', { input: [pictured], output: [pictured] }],
  [
    'no-dangling-images',
    'a note with its name',
    { input: [pictured], output: [openai.user('See panel-7.png. [image no longer attached]')] },
  ],
  ['no-dangling-images', 'an image that stays', { input: [pictured], output: [pictured] }],
  [
    'no-dangling-pointers',
    'a marker whose target is there',
    {
      input: readTwice,
      output: [task, read('c1'), openai.result('c1', superseded), ...readTwice.slice(3)],
    },
  ],
  [
    'no-dangling-pointers',
    'a marker that names a way back',
    {
      input: readTwice,
      output: [task, read('c1'), openai.result('c1', '[cut; call read_file again]')],
    },
  ],
  [
    'summary-present',
    'the summary in its block',
    run([checkpoint('Gates done.'), last], { observed: { summaries: ['Gates done.'] } }),
  ],
  [
    'nothing-vanishes',
    'texts that stay or were summarized',
    run([], {
      observed: {
        steps: [
          {
            before: { messages: input },
            after: { messages: [task, last] },
            summarizerRequests: [request('[assistant] Understood.')],
          },
        ],
      },
    }),
  ],
  [
    'nothing-vanishes',
    'a checkpoint that was summarized while the task before it stays',
    run([], {
      observed: {
        steps: [
          {
            before: { messages: [checkpoint('Gates done.'), last] },
            after: { messages: [checkpoint('All done.'), last] },
            summarizerRequests: [request('Gates done.')],
          },
        ],
      },
    }),
  ],
  [
    'originals-retained',
    'an archive with what left',
    run([task, last], { observed: { archive: ['Understood.'] } }),
  ],
  [
    'input-untouched',
    'equal stored messages',
    run([last], { observed: { storedAfterRestart: { messages: input } } }),
  ],
]

const bad: readonly BadRow[] = [
  [
    'first-user-kept',
    'a task cut short',
    run([openai.user('The task: All twelve gates'), last]),
    'first',
  ],
  ['last-user-kept', 'a last request that moved up', run([last, reply, task]), 'last'],
  [
    'newest-result-kept',
    'a result with a gap',
    { input: readTwice, output: [task, read('c2'), openai.result('c2', long.slice(5))] },
    'c2 is not whole',
  ],
  [
    'newest-result-kept',
    'trimmed line ends',
    {
      input: [read('c1'), openai.result('c1', 'a \r\n')],
      output: [read('c1'), openai.result('c1', 'a\n')],
    },
    'c1',
  ],
  [
    'images-kept',
    'an image that left',
    { input: [pictured], output: [openai.user('See panel-7.png.')] },
    'image 0',
  ],
  [
    'no-dangling-images',
    'an image that left without a word',
    { input: [pictured], output: [openai.user('See panel-7.png.')] },
    'panel-7.png',
  ],
  [
    'no-dangling-images',
    'a note without its name',
    { input: [pictured], output: [openai.user('[image no longer attached]')] },
    'panel-7.png',
  ],
  [
    'no-dangling-images',
    'image data for the summary model',
    { input: [pictured], output: [pictured], observed: { summarizerRequests: [request(pngUrl)] } },
    'holds image data',
  ],
  [
    'no-dangling-pointers',
    'a target that was cut as well',
    {
      input: readTwice,
      output: [
        task,
        read('c1'),
        openai.result('c1', superseded),
        read('c2'),
        openai.result('c2', '[cut]'),
      ],
    },
    'c1 points to',
  ],
  [
    'no-dangling-pointers',
    'a target that left',
    { input: readTwice, output: [task, read('c1'), openai.result('c1', superseded)] },
    'c1 points to',
  ],
  [
    'no-dangling-pointers',
    'a marker without a way back',
    { input: readTwice, output: [task, read('c1'), openai.result('c1', '[cleared]')] },
    'how to get it back',
  ],
  [
    'summary-present',
    'a summary that was thrown away',
    run([task, last], { observed: { summaries: ['Gates done.'] } }),
    'summary model',
  ],
  [
    'nothing-vanishes',
    'a reply that is nowhere',
    run([], {
      observed: {
        steps: [
          {
            before: { messages: input },
            after: { messages: [task, last] },
            summarizerRequests: [],
          },
        ],
      },
    }),
    'Understood',
  ],
  [
    'nothing-vanishes',
    'a checkpoint that is nowhere',
    run([], {
      observed: {
        steps: [
          {
            before: { messages: [checkpoint('Gates done.'), last] },
            after: { messages: [checkpoint('All done.'), last] },
            summarizerRequests: [],
          },
        ],
      },
    }),
    'Gates done',
  ],
  ['nothing-vanishes', 'steps that nobody saw', run([last]), 'not observed: steps'],
  [
    'originals-retained',
    'an archive that cut a text',
    run([task, last], { observed: { archive: ['Underst'] } }),
    'Understood',
  ],
  ['originals-retained', 'an archive that nobody saw', run([last]), 'not observed: archive'],
  [
    'input-untouched',
    'an input that was edited',
    run([last], {
      observed: { inputAfter: { messages: [last] }, storedAfterRestart: { messages: input } },
    }),
    'was changed',
  ],
  [
    'input-untouched',
    'another history after a restart',
    run([last], { observed: { storedAfterRestart: { messages: [last] } } }),
    'a restart finds',
  ],
  ['input-untouched', 'a restart that nobody saw', run([last]), 'not observed'],
]

describe('invariants of what is kept', () => {
  it.each(good)('%s passes %s', (invariant, _name, made) => {
    expect(judge(invariant, made)).toEqual([])
  })

  it.each(bad)('%s faults %s', (invariant, _name, made, detail) => {
    expect(judge(invariant, made).join('; ')).toContain(detail)
  })

  it('first-user-kept reads the text blocks of an Anthropic message', () => {
    const messages = [
      anthropic.user('One.', 'Two.'),
      anthropic.assistant('Yes.'),
      anthropic.user('Go on.'),
    ]
    const half = [anthropic.user('One.'), anthropic.user('Two.')]
    expect(judge('first-user-kept', { input: messages, output: messages })).toEqual([])
    expect(judge('first-user-kept', { input: messages, output: half })).toHaveLength(1)
  })

  it('leaves out a part of an invariant only where it is deferred by name', () => {
    expect(
      judge('input-untouched', run([last], { deferred: ['input-untouched:restart'] })),
    ).toEqual([])
  })
})

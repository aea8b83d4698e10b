import { expect, test } from 'vitest'
import { transcriptRows } from '../../demo/view/transcript.ts'
import { calling, result, user } from './chat-request.ts'

const wire = (message: object) => message as { role: string }

test('shows a result with its call and gives its message no row', () => {
  const rows = transcriptRows(
    [user('hi'), calling(['call_a', 'grep', { pattern: 'x' }]), result('call_a', 'found')].map(
      wire,
    ),
  )
  expect(rows).toEqual([
    { index: 0, role: 'user', blocks: [{ type: 'text', text: 'hi' }] },
    {
      index: 1,
      role: 'assistant',
      blocks: [
        { type: 'call', tool: 'grep', input: '{"pattern":"x"}', result: 'found', isError: false },
      ],
    },
  ])
})

test('shows a result without a call by itself', () => {
  const rows = transcriptRows([wire(result('call_z', 'lost'))])
  expect(rows[0]?.blocks).toEqual([{ type: 'result', callId: 'call_z', text: 'lost' }])
})

test('reads calls, results, thinking and media of the Messages format', () => {
  const rows = transcriptRows([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'no such file' },
        { type: 'text', text: 'Sorry.' },
        { type: 'image', source: {} },
        { type: 'novelty', value: 1 },
      ],
    },
  ])
  expect(rows.map((row) => row.blocks)).toEqual([
    [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I look.' },
      { type: 'call', tool: 'read', input: '{"path":"a"}', result: 'no such file', isError: true },
    ],
    [
      { type: 'text', text: 'Sorry.' },
      { type: 'media', label: 'image' },
      { type: 'other', kind: 'novelty', text: '{\n  "type": "novelty",\n  "value": 1\n}' },
    ],
  ])
})

test('gives content that is null no row', () => {
  expect(transcriptRows([{ role: 'assistant', content: null }])).toEqual([])
})

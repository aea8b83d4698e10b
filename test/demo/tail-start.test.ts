import { describe, expect, test } from 'vitest'
import { findTailStart } from '../../demo/chat/sent.ts'
import { checkpointMessage } from './fake-tamp.ts'

const said = (role: string, content: string) => ({ role, content })

const full = [
  said('system', 's'),
  said('user', 'task'),
  said('assistant', 'one'),
  said('user', 'two'),
  said('assistant', 'three'),
  said('user', 'four'),
]

describe('the start of the kept tail', () => {
  test('is not there without a checkpoint', () => {
    expect(findTailStart(full, full)).toBeUndefined()
  })

  test('is counted from the end', () => {
    const fitted = [said('system', 's'), checkpointMessage('summary'), ...full.slice(4)]
    expect(findTailStart(full, fitted)).toBe(4)
  })

  test('is the user message that shares the message of the checkpoint', () => {
    const fitted = [said('system', 's'), checkpointMessage('summary', '\n\ntwo'), ...full.slice(4)]
    expect(findTailStart(full, fitted)).toBe(3)
  })

  test('is found where the checkpoint is a part among others', () => {
    const { content } = checkpointMessage('summary')
    const holder = {
      role: 'user',
      content: [
        { type: 'text', text: 'task' },
        { type: 'text', text: content },
      ],
    }
    expect(findTailStart(full, [said('system', 's'), holder, ...full.slice(4)])).toBe(4)
  })
})

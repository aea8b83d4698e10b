/**
 * The heap of a page's workers, over the protocol of Chromium's developer tools. Chromium alone tells the size of a
 * worker's heap, and only there can it be told to collect what nobody holds.
 */
export async function workerHeap(page) {
  const session = await page.context().newCDPSession(page)
  const workers = new Map()
  const waiting = new Map()
  let calls = 0
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') workers.set(sessionId, targetInfo.url)
  })
  session.on('Target.detachedFromTarget', ({ sessionId }) => workers.delete(sessionId))
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result, error } = JSON.parse(message)
    waiting.get(id)?.(error ?? result)
    waiting.delete(id)
  })
  const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: false }
  await session.send('Target.setAutoAttach', attach)
  const ask = (sessionId, method) => {
    calls += 1
    const id = calls
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    const message = JSON.stringify({ id, method, params: {} })
    return session.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answer)
  }
  return async () => {
    const [sessionId, ...others] = workers.keys()
    if (sessionId === undefined || others.length > 0) throw new Error(`${workers.size} workers`)
    // Once for what is dead, once more for what only weak references held.
    await ask(sessionId, 'HeapProfiler.collectGarbage')
    await ask(sessionId, 'HeapProfiler.collectGarbage')
    const { usedSize } = await ask(sessionId, 'Runtime.getHeapUsage')
    if (!(usedSize > 0)) throw new Error('the worker does not tell the size of its heap')
    return usedSize
  }
}

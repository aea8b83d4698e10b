import { openCounter } from '../../../src/tokens/bpe/open-counter.ts'
import { firstText } from './first-text.ts'

const file = fetch('/o200k_base.bin').then((response) => response.arrayBuffer())
file.then((buffer) => {
  const counter = openCounter('o200k_base', { bytes: new Uint8Array(buffer) })
  self.postMessage(counter.count(firstText))
})

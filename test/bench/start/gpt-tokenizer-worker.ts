import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { firstText } from './first-text.ts'

self.postMessage(countTokens(firstText))

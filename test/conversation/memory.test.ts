import { memoryDevice } from '../support/memory-device.ts'
import { conversationConformance } from './conformance.ts'

conversationConformance('conversations in memory', memoryDevice)

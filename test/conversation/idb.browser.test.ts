import { idbDevice } from '../support/idb-device.ts'
import { conversationConformance } from './conformance.ts'

conversationConformance('conversations in IndexedDB', idbDevice)

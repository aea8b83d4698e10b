import { localEngine } from '../../src/entries/local.ts'
import { engineConformance } from './conformance.ts'

engineConformance('the local engine', localEngine)

export {
  createTamp,
  type FitOptions,
  type Fitted,
  type Tamp,
} from './compactor.ts'
export type {
  Conversation,
  ConversationEvents,
  ConversationSnapshot,
  Turn,
} from './conversation/surface.ts'
export { type ErrorDetails, TampError, type TampErrorCode } from './core/errors.ts'
export { CHECKPOINT_END, CHECKPOINT_START } from './core/marker.ts'
export type { Format } from './core/model.ts'
export type {
  CompactionReport,
  Outcome,
  Shortened,
  StepReport,
  SummaryCheck,
  SummaryReport,
  Trigger,
} from './core/report.ts'
export type { ModelRequest } from './core/summary.ts'
export type { ToolEffect, ToolSemantics, ToolTable } from './core/tools.ts'
export type {
  CompactionRecord,
  ConversationSummary,
  ImportReport,
  StorageNotice,
  StorageState,
  TranscriptMessage,
} from './engine/conversation-jobs.ts'
export type { Engine, EngineCapabilities, Measurement } from './engine/engine.ts'
export type { TampEvents } from './engine/events.ts'
export type { TampOptions } from './options.ts'
export type { PassName, PassOptions } from './passes/index.ts'
export type { Summarizer, SummarizerAnswer } from './summarizer.ts'

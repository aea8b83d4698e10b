/**
 * What Tamp uses where an app says nothing else, for apps that build on it: its table of tools, how refusals begin, and
 * the words in which a summary is asked for. They are the engine's, so the page loads them only where an app does.
 */
export { defaultRefusalPrefixes, defaultTools } from '../core/tools.ts'
export { SUMMARY_HEADINGS, SUMMARY_SYSTEM, summaryInstruction } from '../summarize/prompt.ts'

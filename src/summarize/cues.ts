/** Small, optional lists of words that mark a rule, a decision, a plan or a question, in several languages. */

const RULE =
  /\b(?:must|never|always|only|don'?t|do not|should(?:n'?t| not)?|need to|make sure|important|remember|prefer|instead of|nunca|siempre|debe|jamais|toujours|doit|niemals|immer|muss|nicht)\b|不要|必须|务必|请勿|一定|始终|必ず|絶対|しないで|禁止|반드시|절대|하지\s?마/iu

const DECISION =
  /\b(?:decided?|decision|chose|choose|because|so that|instead|therefore|the cause|root cause|fixed|works now|will use|we use|plan|next|todo|remaining|done|blocked)\b|决定|因为|所以|计划|下一步|原因|決定|理由|次に|결정|때문/iu

/** True for a line that states a rule or a preference. */
export function isRule(line: string): boolean {
  return RULE.test(line)
}

/** True for a line that states a decision, a reason or what comes next. */
export function isDecision(line: string): boolean {
  return DECISION.test(line)
}

/** True for a line that asks. */
export function isQuestion(line: string): boolean {
  return /[?？؟]\s*$/u.test(line)
}

/** An entry of a to-do list or a plan with its state. */
const PLAN_LINE = /^(?:[-*+]|\d{1,3}[.)])?\s*\[[ xX>~✓-]\]\s+\S/u

/** True for an entry of a to-do list. */
export function isPlanLine(line: string): boolean {
  return PLAN_LINE.test(line)
}

const ERROR_LINE =
  /^(?:\S{1,80}\s+){0,4}?(?:[\w.]*(?:Error|Exception)|error|fatal|panic(?:ked)?)\b.{0,4}[:[]/iu

/** True for a line in which a program reports a failure. */
export function isErrorLine(line: string): boolean {
  return ERROR_LINE.test(line)
}

/** Gives back a failure with what differs from run to run masked, so that each distinct one counts once. */
export function errorTemplate(line: string): string {
  return line.replace(/0x[0-9a-f]+|\b[0-9a-f]{7,}\b/giu, '#').replace(/\d+/gu, '#')
}

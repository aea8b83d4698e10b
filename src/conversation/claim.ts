import type { Tabs } from './tabs.ts'

/** The right to buy one summary, taken at the first ask. */
export class Claim {
  asked = false
  private readonly tabs: Tabs
  private readonly id: string
  private release: (() => void) | undefined

  constructor(tabs: Tabs, id: string) {
    this.tabs = tabs
    this.id = id
  }

  async take(): Promise<boolean> {
    if (!this.asked) this.release = await this.tabs.claim(this.id)
    this.asked = true
    return this.release !== undefined
  }

  letGo(): void {
    this.release?.()
  }
}

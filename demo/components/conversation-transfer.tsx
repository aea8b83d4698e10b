import type { Library, SavedFile } from '../chat/library.ts'

/** Takes the open conversation out of the browser, and brings one in. */
export function ConversationTransfer({
  library,
  onChosen,
}: {
  library: Library
  onChosen: () => void
}) {
  const exportOpen = async () => {
    const file = await library.exportOpen()
    if (file !== undefined) download(file)
  }
  const importFirst = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    if (file === undefined) return
    await library.importFile(file)
    // The same file can be chosen again only when the field is empty.
    input.value = ''
    onChosen()
  }
  return (
    <p class="actions">
      <button type="button" data-testid="export" onClick={exportOpen}>
        Export
      </button>
      <label class="button">
        Import
        <input
          class="unseen"
          type="file"
          accept=".json,application/json"
          data-testid="import-file"
          onChange={(event) => importFirst(event.currentTarget)}
        />
      </label>
    </p>
  )
}

function download({ name, text }: SavedFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the file by the time of the next task; freed at once, Safari would lose it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Where firmware starts the program: arguments, and the end. */

#include "base/text.h"
#include "os/efi/files.h"

enum { WORDS_MAX = 64, ARGS_MAX = 4096, EXIT_USAGE = 2 };

static struct unc_efi self;
const struct unc_efi *efi = &self;
static enum { STAY, POWER_OFF, REBOOT } at_end;

/* The command's own; it has this name for each system. */
int main(int argc, char **argv);
EFI_STATUS efi_main(EFI_HANDLE image, struct efi_system *system);

/* Firmware keeps neither memory nor files for a program that has ended. */
_Noreturn void exit(int status)
{
	fflush(NULL);
	unc_efi_crew_end();
	unc_efi_files_end();
	unc_efi_serial_end();
	if (at_end != STAY)
		self.system->runtime->ResetSystem(at_end == REBOOT ? EfiResetCold : EfiResetShutdown, EFI_SUCCESS, 0,
						  NULL);
	unc_efi_memory_end();
	self.boot->Exit(self.image, (EFI_STATUS)status, 0, NULL);
	for (;;)
		;
}

/* The words that a shell or a boot entry gives, after the name of the program; in ASCII, since options have no other characters. */
static bool read_options(char line[ARGS_MAX])
{
	const CHAR16 *text = self.loaded->LoadOptions;
	size_t n = text ? self.loaded->LoadOptionsSize / 2 : 0, len = 0;

	for (size_t i = 0; i < n && text[i] && len + 1 < ARGS_MAX; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false; /* some firmware has bytes there that are no text */
		line[len++] = (char)text[i];
	}
	line[len] = '\0';
	return len > 0;
}

static int read_args_file(char line[ARGS_MAX])
{
	static const char *const names[] = {"uncorectl.args", "EFI/BOOT/uncorectl.args"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		EFI_STATUS status;
		struct efi_file *file = unc_efi_open(names[i], EFI_FILE_READ, &status);
		size_t len = ARGS_MAX - 1;

		if (!file)
			continue;
		status = file->Read(file, &len, line);
		file->Close(file);
		line[status == EFI_SUCCESS ? len : 0] = '\0';
		return 1;
	}
	return 0;
}

/* Options that are none of the command: what comes after it, and where it prints. */
static int take_own(int argc, char **argv)
{
	const char *logs = NULL;
	int n = 0;

	for (int i = 0; i < argc; i++) {
		if (i && strcmp(argv[i], "--poweroff") == 0)
			at_end = POWER_OFF;
		else if (i && strcmp(argv[i], "--reboot") == 0)
			at_end = REBOOT;
		else if (i && strcmp(argv[i], "--log") == 0 && i + 1 < argc && strcmp(argv[i + 1], "serial") == 0)
			logs = argv[i++];
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	if (logs && !unc_efi_serial_open()) {
		fputs("uncorectl: --log serial: firmware knows of no serial line; leave it out\n", stderr);
		exit(EXIT_USAGE);
	}
	return n;
}

EFI_STATUS efi_main(EFI_HANDLE image, struct efi_system *system)
{
	static char line[ARGS_MAX], from_file[ARGS_MAX];
	static char *words[WORDS_MAX + 1];
	struct efi_volume *volume;
	int argc = 1;

	self = (struct unc_efi){.image = image, .system = system, .boot = system->boot};
	self.boot->SetWatchdogTimer(0, 0, 0, NULL); /* else firmware resets the machine after 5 minutes */
	self.boot->HandleProtocol(image, &EFI_LOADED_IMAGE, (void **)&self.loaded);
	if (self.boot->HandleProtocol(self.loaded->DeviceHandle, &EFI_VOLUME, (void **)&volume) == EFI_SUCCESS &&
	    volume->OpenVolume(volume, &self.root) != EFI_SUCCESS)
		self.root = NULL;
	unc_efi_clock_start();
	if (read_options(line))
		argc = unc_text_words(line, words, WORDS_MAX);
	if ((argc == 0 || argc == 1) && read_args_file(from_file)) {
		argc = unc_text_words(from_file, words + 1, WORDS_MAX);
		argc += argc >= 0;
	}
	if (argc < 0) {
		fprintf(stderr,
			"uncorectl: arguments: a quote has no end, or there are more than %d words; end it, or use "
			"fewer\n",
			WORDS_MAX - 1);
		exit(EXIT_USAGE);
	}
	words[0] = (char *)"uncorectl";
	exit(main(take_own(argc ? argc : 1, words), words));
}

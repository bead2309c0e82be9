/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is used of firmware, typed from the UEFI Specification 2.10 (sections are named) and the Platform Initialization Specification
 * 1.8 (PI).  Functions that are not called are void *, so that the others have their places.
 */
#ifndef UNC_OS_EFI_EFI_H
#define UNC_OS_EFI_EFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t EFI_STATUS, EFI_PHYSICAL_ADDRESS;
typedef uint16_t CHAR16;
typedef void *EFI_HANDLE;
typedef struct {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
} EFI_GUID;
#define EFI_ERROR(n) (UINT64_C(1) << 63 | (n))
enum { EFI_SUCCESS = 0 };
#define EFI_BUFFER_TOO_SMALL EFI_ERROR(5)
#define EFI_WRITE_PROTECTED  EFI_ERROR(8)
#define EFI_OUT_OF_RESOURCES EFI_ERROR(9)
#define EFI_VOLUME_FULL      EFI_ERROR(11)
#define EFI_NOT_FOUND        EFI_ERROR(14)
#define EFI_ACCESS_DENIED    EFI_ERROR(15)

/* 12.4 */
struct efi_text_output {
	void *Reset;
	EFI_STATUS (*OutputString)(struct efi_text_output *self, const CHAR16 *text);
	void *TestString;
	EFI_STATUS (*QueryMode)(struct efi_text_output *self, size_t mode, size_t *ret_columns, size_t *ret_rows);
	void *SetMode, *SetAttribute, *ClearScreen, *SetCursorPosition, *EnableCursor;
	struct {
		int32_t MaxMode, Mode;
	} * Mode;
};

/* 12.3 */
typedef struct {
	uint16_t ScanCode;
	CHAR16 UnicodeChar;
} EFI_INPUT_KEY;
enum { EFI_SCAN_ESC = 0x17, EFI_CTRL_C = 3 };
struct efi_text_input {
	void *Reset;
	EFI_STATUS (*ReadKeyStroke)(struct efi_text_input *self, EFI_INPUT_KEY *ret_key);
};

struct efi_serial { /* 12.8 */
	uint32_t Revision;
	void *Reset, *SetAttributes, *SetControl;
	EFI_STATUS (*GetControl)(struct efi_serial *self, uint32_t *ret_bits);
	EFI_STATUS (*Write)(struct efi_serial *self, size_t *size, const void *bytes);
	void *Read;
	struct {
		uint32_t ControlMask, Timeout;
		uint64_t BaudRate; /* 0: not known */
	} * Mode;
};
enum { EFI_SERIAL_OUTPUT_EMPTY = 0x200 };
static const EFI_GUID EFI_SERIAL = {0xbb25cf6f, 0xf1d4, 0x11d2, {0x9a, 0x0c, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0xfd}};

typedef struct { /* 8.3 */
	uint16_t Year;
	uint8_t Month, Day, Hour, Minute, Second, Pad1;
	uint32_t Nanosecond;
	int16_t TimeZone; /* minutes that local time is behind UTC; 2047: not known */
	uint8_t Daylight, Pad2;
} EFI_TIME;

enum efi_reset { EfiResetCold, EfiResetWarm, EfiResetShutdown };

struct efi_runtime { /* 4.5 */
	char header[24];
	EFI_STATUS (*GetTime)(EFI_TIME *ret_time, void *ret_capabilities);
	void *SetTime, *GetWakeupTime, *SetWakeupTime, *SetVirtualAddressMap, *ConvertPointer;
	EFI_STATUS(*GetVariable)
	(const CHAR16 *name, const EFI_GUID *vendor, uint32_t *ret_attributes, size_t *size, void *data);
	void *GetNextVariableName;
	EFI_STATUS(*SetVariable)
	(const CHAR16 *name, const EFI_GUID *vendor, uint32_t attributes, size_t size, const void *data);
	void *GetNextHighMonotonicCount;
	void (*ResetSystem)(enum efi_reset type, EFI_STATUS status, size_t size, void *data);
};

struct efi_memory { /* 7.2.3 */
	uint32_t Type;
	uint64_t PhysicalStart, VirtualStart, NumberOfPages, Attribute;
};
enum { EfiReservedMemoryType = 0, EfiMemoryMappedIO = 11, EfiMemoryMappedIOPortSpace = 12 };

enum { AllocateAnyPages = 0, EfiLoaderData = 2 };
struct efi_boot { /* 4.4 */
	char header[24];
	void *RaiseTPL, *RestoreTPL;
	EFI_STATUS (*AllocatePages)(int how, int type, size_t pages, EFI_PHYSICAL_ADDRESS *ret_at);
	EFI_STATUS (*FreePages)(EFI_PHYSICAL_ADDRESS at, size_t pages);
	EFI_STATUS (*GetMemoryMap)(size_t *size, void *map, size_t *ret_key, size_t *ret_each, uint32_t *ret_version);
	EFI_STATUS (*AllocatePool)(int type, size_t size, void **ret_memory);
	EFI_STATUS (*FreePool)(void *memory);
	EFI_STATUS (*CreateEvent)(uint32_t type, size_t tpl, void *notify, void *arg, void **ret_event);
	void *SetTimer, *WaitForEvent, *SignalEvent;
	EFI_STATUS (*CloseEvent)(void *event);
	EFI_STATUS (*CheckEvent)(void *event); /* EFI_SUCCESS: it was signalled, and is no more */
	void *InstallProtocolInterface, *ReinstallProtocolInterface, *UninstallProtocolInterface;
	EFI_STATUS (*HandleProtocol)(EFI_HANDLE handle, const EFI_GUID *protocol, void **ret_interface);
	void *Reserved, *RegisterProtocolNotify, *LocateHandle, *LocateDevicePath, *InstallConfigurationTable;
	void *LoadImage, *StartImage;
	EFI_STATUS (*Exit)(EFI_HANDLE image, EFI_STATUS status, size_t size, CHAR16 *text);
	void *UnloadImage, *ExitBootServices, *GetNextMonotonicCount;
	EFI_STATUS (*Stall)(size_t us);
	EFI_STATUS (*SetWatchdogTimer)(size_t seconds, uint64_t code, size_t size, CHAR16 *data);
	void *ConnectController, *DisconnectController, *OpenProtocol, *CloseProtocol, *OpenProtocolInformation;
	void *ProtocolsPerHandle;
	/* how: 2, by protocol.  The caller frees *ret_handles with FreePool(). */
	EFI_STATUS(*LocateHandleBuffer)
	(int how, const EFI_GUID *protocol, void *key, size_t *ret_n, EFI_HANDLE **ret_handles);
	EFI_STATUS (*LocateProtocol)(const EFI_GUID *protocol, void *registration, void **ret_interface);
};
enum { EFI_BY_PROTOCOL = 2 };

struct efi_system { /* 4.3 */
	char header[24];
	CHAR16 *FirmwareVendor;
	uint32_t FirmwareRevision;
	EFI_HANDLE ConsoleInHandle;
	struct efi_text_input *ConIn;
	EFI_HANDLE ConsoleOutHandle;
	struct efi_text_output *ConOut;
	EFI_HANDLE StandardErrorHandle;
	struct efi_text_output *StdErr;
	struct efi_runtime *runtime;
	struct efi_boot *boot;
	size_t n_tables;
	struct {
		EFI_GUID guid;
		const void *table;
	} * tables;
};
static const EFI_GUID EFI_ACPI_20_TABLE = {
	0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}}; /* 4.6 */

struct efi_loaded_image { /* 9.1 */
	uint32_t Revision;
	EFI_HANDLE ParentHandle;
	struct efi_system *SystemTable;
	EFI_HANDLE DeviceHandle;
	void *FilePath, *Reserved;
	uint32_t LoadOptionsSize; /* bytes */
	CHAR16 *LoadOptions;
};
static const EFI_GUID EFI_LOADED_IMAGE = {0x5b1b31a1, 0x9562, 0x11d2, {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

struct efi_file { /* 13.5 */
	uint64_t Revision;
	EFI_STATUS(*Open)
	(struct efi_file *self, struct efi_file **ret_file, const CHAR16 *name, uint64_t mode, uint64_t attributes);
	EFI_STATUS (*Close)(struct efi_file *self);
	EFI_STATUS (*Delete)(struct efi_file *self); /* and closes it */
	EFI_STATUS (*Read)(struct efi_file *self, size_t *size, void *bytes);
	EFI_STATUS (*Write)(struct efi_file *self, size_t *size, const void *bytes);
	void *GetPosition;
	EFI_STATUS (*SetPosition)(struct efi_file *self, uint64_t position);
	EFI_STATUS (*GetInfo)(struct efi_file *self, const EFI_GUID *type, size_t *size, void *info);
	EFI_STATUS (*SetInfo)(struct efi_file *self, const EFI_GUID *type, size_t size, const void *info);
	EFI_STATUS (*Flush)(struct efi_file *self);
};
enum { EFI_FILE_NAME = 256 }; /* FAT has no longer ones */
struct efi_file_info {
	uint64_t Size; /* of all, with the name, in UCS-2 with its zero */
	uint64_t FileSize, PhysicalSize;
	EFI_TIME CreateTime, LastAccessTime, ModificationTime;
	uint64_t Attribute;
	CHAR16 FileName[EFI_FILE_NAME];
};
#define EFI_FILE_DIRECTORY UINT64_C(0x10)
static const EFI_GUID EFI_FILE_INFO = {0x09576e92, 0x6d3f, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};
#define EFI_FILE_READ   UINT64_C(1)
#define EFI_FILE_WRITE  UINT64_C(2)
#define EFI_FILE_CREATE (UINT64_C(1) << 63)
struct efi_volume { /* 13.4 */
	uint64_t Revision;
	EFI_STATUS (*OpenVolume)(struct efi_volume *self, struct efi_file **ret_root);
};
static const EFI_GUID EFI_VOLUME = {0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}};

/* 14.2; width 2: 4 bytes.  address: bus << 24 | device << 16 | function << 8 | register, or register << 32 above 0xff. */
struct efi_root_bridge {
	EFI_HANDLE ParentHandle;
	void *PollMem, *PollIo, *Mem[2], *Io[2];
	EFI_STATUS (*PciRead)(struct efi_root_bridge *self, int width, uint64_t address, size_t n, void *bytes);
	EFI_STATUS (*PciWrite)(struct efi_root_bridge *self, int width, uint64_t address, size_t n, const void *bytes);
	void *CopyMem, *Map, *Unmap, *AllocateBuffer, *FreeBuffer, *Flush, *GetAttributes, *SetAttributes;
	EFI_STATUS (*Configuration)(struct efi_root_bridge *self, const uint8_t **ret_resources);
	uint32_t SegmentNumber;
};
static const EFI_GUID EFI_ROOT_BRIDGE = {0x2f707ebb, 0x4a1a, 0x11d4, {0x9a, 0x38, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}};

struct efi_processor {        /* PI, volume 2, 13.4.2 */
	uint64_t ProcessorId; /* of its local APIC */
	uint32_t StatusFlag;  /* bit 1: enabled */
	struct {
		uint32_t Package, Core, Thread;
	} Location;
	uint32_t Extended[6];
};
struct efi_mp_services { /* PI, volume 2, 13.4.1 */
	EFI_STATUS (*GetNumberOfProcessors)(struct efi_mp_services *self, size_t *ret_n, size_t *ret_enabled);
	EFI_STATUS (*GetProcessorInfo)(struct efi_mp_services *self, size_t number, struct efi_processor *ret_info);
	/* With an event: returns at once, and signals it when run() has returned on all of them. */
	EFI_STATUS(*StartupAllAPs)
	(struct efi_mp_services *self, void (*run)(void *arg), bool one_by_one, void *event, size_t us, void *arg,
	 size_t **ret_failed);
	EFI_STATUS(*StartupThisAP)
	(struct efi_mp_services *self, void (*run)(void *arg), size_t number, void *event, size_t us, void *arg,
	 uint8_t *ret_finished);
	void *SwitchBSP, *EnableDisableAP;
	EFI_STATUS (*WhoAmI)(struct efi_mp_services *self, size_t *ret_number);
};
static const EFI_GUID EFI_MP_SERVICES = {0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

/* Our own variable, which lives until the next reset: 8.2, attributes for boot services and the running system, not kept. */
enum { EFI_VARIABLE_UNTIL_RESET = 2 | 4 };
static const EFI_GUID UNC_EFI_VENDOR = {0x7c1a5f0e, 0x3d52, 0x4b8e, {0x9a, 0x61, 0x25, 0xd4, 0x0f, 0xb3, 0x6e, 0x17}};

static const EFI_GUID EFI_GLOBAL_VARIABLE = {
	0x8be4df61, 0x93ca, 0x11d2, {0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c}}; /* 3.3 */

/* This program, from its entry to its end. */
struct unc_efi {
	EFI_HANDLE image;
	struct efi_system *system;
	struct efi_boot *boot;
	struct efi_file *root; /* of the volume that the program was loaded from; NULL: there is none */
	const struct efi_loaded_image *loaded;
};
extern const struct unc_efi *efi;

void unc_efi_memory_end(void);  /* libc.c: gives all memory back */
void unc_efi_files_end(void);   /* stdio.c: writes and closes what is open */
bool unc_efi_interrupted(void); /* stdio.c: Ctrl-C or Esc was pressed; other keys are dropped */
void unc_efi_crew_end(void);    /* cpu.c: the other processors are firmware's again */
/* serial.c.  False: there is no serial line; else what is printed goes there, and not to the console. */
bool unc_efi_serial_open(void);
bool unc_efi_serial_is_open(void);
/* While it measures, a line that has no room is dropped, and counted. */
void unc_efi_serial_put(const char *text, size_t len);
void unc_efi_serial_pause(uint64_t ns); /* for so long nothing else is to be done */
void unc_efi_serial_end(void);          /* waits until all has left */
#define UNC_EFI_NS UINT64_C(1000000000)
/* time.c: finds the rate of the TSC. */
void unc_efi_clock_start(void);
const char *unc_efi_clock_doubt(void); /* why times may be wrong; NULL: they are not */
/* time.c: NULL: there is no such table, or its sum is wrong. */
const uint8_t *unc_efi_acpi(const char name[4]);

static inline bool unc_efi_same(const EFI_GUID *a, const EFI_GUID *b)
{
	return __builtin_memcmp(a, b, sizeof(*a)) == 0;
}

#endif

// A PJRT plugin that compiles nothing and runs nothing: it has two devices, takes every program and writes it to a file of a number in
// the folder RECORD. With it go-xla builds and lowers graphs where there is no XLA.
#include <stdio.h>
#include <string.h>

#include "pjrt_c_api.h"

struct PJRT_Error { const char* message; };

// There is one of each; only their addresses count.
static struct PJRT_Error unwritable = {"the program could not be written to the test's folder"};
static struct PJRT_Error absent = {"this plugin only records programs: it runs nothing"};
static char client, devices[2], executable, loaded;
static int programs;

static void errorDestroy(PJRT_Error_Destroy_Args* args) {}

static void errorMessage(PJRT_Error_Message_Args* args) {
  args->message = args->error->message;
  args->message_size = strlen(args->error->message);
}

static PJRT_Error* errorCode(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_UNIMPLEMENTED;
  return NULL;
}

static PJRT_Error* initialise(PJRT_Plugin_Initialize_Args* args) { return NULL; }

static PJRT_Error* attributes(PJRT_Plugin_Attributes_Args* args) {
  args->attributes = NULL;
  args->num_attributes = 0;
  return NULL;
}

static PJRT_Error* clientCreate(PJRT_Client_Create_Args* args) {
  args->client = (PJRT_Client*)&client;
  return NULL;
}

static PJRT_Error* clientDestroy(PJRT_Client_Destroy_Args* args) { return NULL; }

static PJRT_Error* platformName(PJRT_Client_PlatformName_Args* args) {
  args->platform_name = "record";
  args->platform_name_size = strlen(args->platform_name);
  return NULL;
}

static PJRT_Error* platformVersion(PJRT_Client_PlatformVersion_Args* args) {
  args->platform_version = "0";
  args->platform_version_size = 1;
  return NULL;
}

static PJRT_Error* processIndex(PJRT_Client_ProcessIndex_Args* args) {
  args->process_index = 0;
  return NULL;
}

static PJRT_Error* addressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  static PJRT_Device* const all[] = {(PJRT_Device*)&devices[0], (PJRT_Device*)&devices[1]};
  args->addressable_devices = all;
  args->num_addressable_devices = 2;
  return NULL;
}

static PJRT_Error* deviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  for (size_t i = 0; i < args->default_assignment_size; i++) args->default_assignment[i] = i;
  return NULL;
}

static PJRT_Error* hardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  args->local_hardware_id = (char*)args->device - devices;
  return NULL;
}

static PJRT_Error* compile(PJRT_Client_Compile_Args* args) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%06d.%.*s", RECORD, programs, (int)args->program->format_size, args->program->format);
  FILE* file = fopen(path, "wb");
  if (file == NULL) return &unwritable;
  size_t wrote = fwrite(args->program->code, 1, args->program->code_size, file);
  if (fclose(file) != 0 || wrote != args->program->code_size) return &unwritable;
  programs++;
  args->executable = (PJRT_LoadedExecutable*)&loaded;
  return NULL;
}

static PJRT_Error* loadedDestroy(PJRT_LoadedExecutable_Destroy_Args* args) { return NULL; }

static PJRT_Error* loadedExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  args->executable = (PJRT_Executable*)&executable;
  return NULL;
}

static PJRT_Error* loadedExecute(PJRT_LoadedExecutable_Execute_Args* args) { return &absent; }

static PJRT_Error* executableDestroy(PJRT_Executable_Destroy_Args* args) { return NULL; }

static PJRT_Error* executableName(PJRT_Executable_Name_Args* args) {
  args->executable_name = "recorded";
  args->executable_name_size = strlen(args->executable_name);
  return NULL;
}

// The programs are not parsed: go-xla knows their outputs by itself.
static PJRT_Error* executableOutputs(PJRT_Executable_NumOutputs_Args* args) {
  args->num_outputs = 0;
  return NULL;
}

static PJRT_Error* executableMemory(PJRT_Executable_GetCompiledMemoryStats_Args* args) { return NULL; }

static PJRT_Error* bufferFromHost(PJRT_Client_BufferFromHostBuffer_Args* args) { return &absent; }

static PJRT_Error* isAddressable(PJRT_Device_IsAddressable_Args* args) {
  args->is_addressable = true;
  return NULL;
}

const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api = {
      .struct_size = PJRT_Api_STRUCT_SIZE,
      .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE, .major_version = PJRT_API_MAJOR, .minor_version = PJRT_API_MINOR},
      .PJRT_Error_Destroy = errorDestroy,
      .PJRT_Error_Message = errorMessage,
      .PJRT_Error_GetCode = errorCode,
      .PJRT_Plugin_Initialize = initialise,
      .PJRT_Plugin_Attributes = attributes,
      .PJRT_Client_Create = clientCreate,
      .PJRT_Client_Destroy = clientDestroy,
      .PJRT_Client_PlatformName = platformName,
      .PJRT_Client_PlatformVersion = platformVersion,
      .PJRT_Client_ProcessIndex = processIndex,
      .PJRT_Client_AddressableDevices = addressableDevices,
      .PJRT_Client_Compile = compile,
      .PJRT_Client_DefaultDeviceAssignment = deviceAssignment,
      .PJRT_Client_BufferFromHostBuffer = bufferFromHost,
      .PJRT_Device_LocalHardwareId = hardwareId,
      .PJRT_Device_IsAddressable = isAddressable,
      .PJRT_LoadedExecutable_Destroy = loadedDestroy,
      .PJRT_LoadedExecutable_GetExecutable = loadedExecutable,
      .PJRT_LoadedExecutable_Execute = loadedExecute,
      .PJRT_Executable_Destroy = executableDestroy,
      .PJRT_Executable_Name = executableName,
      .PJRT_Executable_NumOutputs = executableOutputs,
      .PJRT_Executable_GetCompiledMemoryStats = executableMemory,
  };
  return &api;
}

#include "store/posix/file_system_type.h"

#include <sys/vfs.h>

#include <cerrno>

namespace pure::store {

int FileSystemType(int fd, uint64_t* type) {
  struct statfs status;
  while (fstatfs(fd, &status) != 0) {
    if (errno != EINTR) return errno;
  }
  // The magic numbers have 32 bits; f_type is signed, and wider on some machines.
  *type = static_cast<uint32_t>(status.f_type);
  return 0;
}

// The numbers are in statfs(2) and linux/magic.h, which lacks some of them.
std::string_view UnsafeFileSystemName(uint64_t type) {
  switch (type) {
    case 0x6969:
      return "NFS";
    case 0x517b:
    case 0xff534d42:
    case 0xfe534d42:
      return "SMB";
    case 0x65735546:
      return "FUSE";
    case 0x01021997:
      return "9P";
    case 0x00c36400:
      return "Ceph";
    case 0x5346414f:
    case 0x6b414653:
      return "AFS";
    case 0x73757245:
      return "Coda";
    case 0x564c:
      return "NCP";
    case 0x0bd00bd0:
      return "Lustre";
    case 0x786f4256:
      return "VirtualBox shared folder";
    default:
      return {};
  }
}

}  // namespace pure::store
